//! [`eventwire`]'s client over [reqwest]: a request becomes a stream of events that reconnects.
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
//! When the connection drops, it reconnects after a delay and sends the last event ID. A permanent failure ends the stream with an
//! error. [`eventwire::client`] describes the items, the delays, the timeouts and the differences from browsers.
//!
//! It runs on sockets with tokio's clock. On `wasm32-unknown-unknown` it runs in browsers, with their `fetch` and timers.
//!
//! # A request for each attempt
//!
//! [`.eventsource()`](RequestBuilderExt::eventsource) sends the same request each time. [`from_fn`] makes a new one for each attempt,
//! with a fresh token, or another URL.
//!
//! # What is sent again
//!
//! A GET is sent again after a lost connection. A request that [is not idempotent](eventwire::client::Resend), such as
//! a POST, is sent again only if it was certainly not carried out: there was no connection, the server answered 429 or
//! 503 without a redirect before it, or the function passed to [`from_fn`] failed. There is one exception: a redirected
//! POST whose second server cannot be reached is sent again, although the first server has received it, because reqwest
//! does not tell this case from the others. A client with `redirect::Policy::none()` rules it out.
//!
//! A [redirect that cannot be followed](RedirectError) is like a lost connection. A request that reqwest cannot even
//! start to send, for example because its URL is not an HTTP URL, is a permanent error.
//!
//! # HTTP/2
//!
//! Over HTTP/2 reqwest sends all requests to a server over one connection, and dropping a response does not close it.
//! If the peer hangs, or is gone without having closed the connection, all further attempts would use the same dead
//! connection. reqwest has no way to ask for a fresh connection for one request. So enable its keep-alive checks. Also
//! set an idle timeout, which detects a dead peer over HTTP/1.1.
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
//!     .with_idle_timeout(Duration::from_secs(60)); // longer than the server's keep-alives are apart
//! # let _ = source;
//! # Ok(())
//! # }
//! ```
//!
//! These methods exist with reqwest's feature `http2`, which is one of its default features. Without it there is only HTTP/1.1, where
//! dropping a response closes its connection. A program that cannot change the client's settings can make a new client after a timeout:
//!
//! ```no_run
//! # async fn example() {
//! use std::future::ready;
//!
//! let mut client = reqwest::Client::new();
//! let source = eventwire_reqwest::from_fn(|attempt| {
//!     if attempt.is_after_timeout() {
//!         client = reqwest::Client::new(); // has connections of its own
//!     }
//!     ready(Ok::<_, reqwest::Error>(client.get("https://example.com/events")))
//! });
//! # let _ = source;
//! # }
//! ```
//!
//! # Reading one response
//!
//! To read the events of a response that you have, without reconnecting, this crate is not needed: use
//! [`eventwire::Eventsource`] on `response.bytes_stream()`.
//!
//! # Versions
//!
//! This crate is for reqwest 0.13. It is separate from `eventwire`, so that a new reqwest does not break those who only parse.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod connecting;
mod last_request;
mod platform;
mod redirect_error;
mod request_builder_ext;
mod request_connector;
mod request_error;
mod request_fn_connector;

/// Types that other items of this crate return or are associated with. You rarely need to name them.
pub mod adapters {
    pub use crate::{connecting::Connecting, platform::Chunks, request_fn_connector::RequestFnConnector};
}

pub use self::{
    platform::PlatformTimer,
    redirect_error::RedirectError,
    request_builder_ext::{RequestBuilderExt, RequestEventSource},
    request_connector::RequestConnector,
    request_error::RequestError,
    request_fn_connector::from_fn,
};
