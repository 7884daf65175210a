//! Server-Sent Events over [reqwest]: turns a request into a stream of events that reconnects.
//!
//! ```no_run
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use eventwire_reqwest::RequestBuilderExt;
//! use futures_util::TryStreamExt;
//!
//! let client = reqwest::Client::new();
//! let mut events = client.get("https://example.com/events").eventsource()?.events();
//! while let Some(event) = events.try_next().await? {
//!     println!("{}: {}", event.event_type(), event.data());
//! }
//! # Ok(())
//! # }
//! ```
//!
//! When the connection drops, the stream reconnects after a delay and sends the last event ID. A permanent failure
//! ends the stream with an error. The client is that of the crate [`eventwire`]: [`eventwire::client`] describes the
//! items, what is retried, the delays, the timeouts and the differences from browsers. This page describes what
//! depends on reqwest.
//!
//! The error of `.events()` is `eventwire::Error<Stopped<reqwest::Error>>`, and that of `.events().json()`
//! `JsonError<Stopped<reqwest::Error>>`. `?` converts both into a `Box<dyn Error>`. If the server refused the request,
//! their method `refusal()` returns the response.
//!
//! It runs on sockets with tokio. On `wasm32-unknown-unknown` it runs in browsers, with their `fetch` and timers.
//!
//! # A request for each attempt
//!
//! [`.eventsource()`](RequestBuilderExt::eventsource) sends the same request for each attempt. [`from_fn`] makes a
//! new one each time, with a fresh token or another URL.
//!
//! # What is sent again
//!
//! A GET [is sent again][again] whenever the connection is lost. A request that
//! [is not idempotent][resend], such as a POST, is sent again only if it was not carried out. With reqwest, these are
//! the cases:
//!
//! * The connection could not be made.
//! * The server answered 429, without a redirect before it.
//! * The function passed to [`from_fn`] failed.
//!
//! One case is not detected: if a POST is redirected and the second server cannot be reached, it is sent again,
//! although the first server has received it. reqwest's error does not show which of the two servers could not be
//! reached. To avoid this, use a client with `redirect::Policy::none()`.
//!
//! A [redirect that cannot be followed](RedirectError) counts as a lost connection. If reqwest cannot start to send
//! the request, for example because its URL is not an HTTP URL, the error is permanent.
//!
//! # HTTP/2
//!
//! Over HTTP/2, reqwest sends all requests to a server over one connection, and dropping a response does not close
//! it. If the server hangs, or is gone without having closed the connection, all further attempts use the same dead
//! connection. reqwest cannot open a fresh connection for a single request. So enable its keep-alive checks, as
//! below. Also set an idle timeout, which detects a dead server over HTTP/1.1.
//!
//! ```no_run
//! use eventwire_reqwest::RequestBuilderExt;
//! use std::time::Duration;
//!
//! # fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let client = reqwest::Client::builder()
//!     .http2_keep_alive_interval(Duration::from_secs(20))
//!     .http2_keep_alive_timeout(Duration::from_secs(10))
//!     .http2_keep_alive_while_idle(true)
//!     .build()?;
//! let source = client
//!     .get("https://example.com/events")
//!     .eventsource()?
//!     .with_idle_timeout(Duration::from_secs(60)); // longer than the interval of the server's keep-alives
//! # let _ = source;
//! # Ok(())
//! # }
//! ```
//!
//! These methods need reqwest's feature `http2`, which is one of its default features. Without it, only HTTP/1.1 is
//! used, where dropping a response closes its connection. If your program cannot change the settings of the client,
//! make a new client after a timeout:
//!
//! ```no_run
//! # async fn example() {
//! use std::future::ready;
//!
//! let mut client = reqwest::Client::new();
//! let source = eventwire_reqwest::from_fn(|attempt| {
//!     if attempt.is_after_timeout() {
//!         client = reqwest::Client::new(); // with new connections
//!     }
//!     ready(Ok::<_, reqwest::Error>(client.get("https://example.com/events")))
//! });
//! # let _ = source;
//! # }
//! ```
//!
//! # Reading one response
//!
//! To read the events of a single response, without reconnecting, you do not need this crate: use
//! [`eventwire::Eventsource`] on `response.bytes_stream()`.
//!
//! # Versions
//!
//! This crate is for reqwest 0.13. It is separate from `eventwire` so that a new version of reqwest does not break
//! programs that only parse.
//!
//! [`eventwire`]: https://docs.rs/eventwire
//! [`eventwire::client`]: https://docs.rs/eventwire/latest/eventwire/client/
//! [`eventwire::Eventsource`]: https://docs.rs/eventwire/latest/eventwire/trait.Eventsource.html
//! [again]: https://docs.rs/eventwire/latest/eventwire/client/#what-is-sent-again
//! [resend]: https://docs.rs/eventwire/latest/eventwire/client/enum.Resend.html

#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(not(all(target_arch = "wasm32", any(target_os = "unknown", target_os = "none"))))]
mod client_builder;
mod connecting;
mod last_request;
mod platform;
mod redirect_error;
mod request_builder_ext;
mod request_connector;
mod request_error;
mod request_fn_connector;
mod request_with_redirects;

/// Types that other items of this crate return, or use as associated types. You rarely need to name them.
pub mod adapters {
    pub use crate::{connecting::Connecting, platform::Chunks, request_fn_connector::RequestFnConnector};
}

#[cfg(not(all(target_arch = "wasm32", any(target_os = "unknown", target_os = "none"))))]
pub use self::client_builder::client_builder;
pub use self::{
    platform::PlatformTimer,
    redirect_error::RedirectError,
    request_builder_ext::{RequestBuilderExt, RequestEventSource},
    request_connector::RequestConnector,
    request_error::RequestError,
    request_fn_connector::from_fn,
    request_with_redirects::RequestWithRedirects,
};
