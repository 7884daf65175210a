//! Server-Sent Events over [reqwest]: `.open()` turns a request into the events of one response, which has been
//! checked, and `.eventsource()` into a stream of events that reconnects.
//!
//! ```no_run
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use eventwire_reqwest::RequestBuilderExt;
//!
//! // One response. If it is not an event stream, the error says what the server answered.
//! let mut events = reqwest::Client::new()
//!     .post("https://example.com/answers")
//!     .body("a question")
//!     .open()
//!     .await?;
//! while let Some(event) = events.next().await {
//!     let event = event?;
//!     println!("{}: {}", event.event_type(), event.data());
//! }
//!
//! // A feed. It reconnects.
//! let client = eventwire_reqwest::client_builder().build()?;
//! let mut events = client
//!     .get("https://example.com/events")
//!     .with_redirects(10)
//!     .eventsource()?
//!     .events();
//! while let Some(event) = events.next().await {
//!     let event = event?;
//!     println!("{}: {}", event.event_type(), event.data());
//! }
//! # Ok(())
//! # }
//! ```
//!
//! ```sh
//! cargo add anyhow
//! cargo add eventwire-reqwest # with `--features json` for typed streams
//! cargo add reqwest@0.13      # with the TLS of your choice
//! cargo add tokio --features macros,rt-multi-thread
//! ```
//!
//! [Below](#reqwest-012) is the same for reqwest 0.12. A response that you already have, for example from a middleware,
//! has [`.open()`](ResponseExt::open), too.
//!
//! When the connection of a feed drops, the stream reconnects after a delay and sends the last event ID. A permanent
//! failure ends the stream with an error. [`eventwire_client`] describes the items, what is retried, the delays, the
//! timeouts and the differences from browsers. This page describes what depends on reqwest.
//!
//! The error of `.events()` is `Error<Stopped<reqwest::Error>>`, and that of a typed stream
//! `JsonError<Stopped<reqwest::Error>>`. `?` converts both into a `Box<dyn Error>`. If the server refused the request,
//! `Stopped::response` returns what it answered.
//!
//! It runs on sockets with tokio. On `wasm32-unknown-unknown` it runs in browsers, with their `fetch` and timers. There
//! the browser follows redirects, so use `reqwest::Client::new()` and omit `.with_redirects(10)`.
//!
//! # A request for each attempt
//!
//! [`.eventsource()`](RequestBuilderExt::eventsource) sends the same request for each attempt. [`from_fn`] makes a
//! new one each time, with a fresh token or another URL. A 401 stops the source; a [recipe][refresh] gets a new token
//! and continues.
//!
//! # What is sent again
//!
//! [By its method][again]: a GET always, a POST only if it was not carried out. With reqwest, that is known if the
//! connection could not be made, if the server refused the stream over [HTTP/2](#http2) or answered 429, and if the
//! function passed to [`from_fn`] failed.
//!
//! If reqwest cannot start to send the request, for example because its URL is not an HTTP URL, the error is
//! permanent.
//!
//! # Redirects
//!
//! With [`.with_redirects(10)`](RequestBuilderExt::with_redirects), the event source follows redirects as a browser
//! does. It knows which server has received what. For a POST, it relies on what the redirect [says][3xx]:
//!
//! * After a [303][see-other], the server has carried out the POST, and the next request is a GET for the result. A 301
//!   or a 302 is treated in the same way, because browsers do, and because servers send a 302 where they mean a 303.
//!   From then on the POST is not sent again, not even after a 429.
//! * A [307][temporary], a [308][permanent], and a 301 or a 302 after another method ask the client to send the same
//!   request to another URL. So the server that redirects it has not carried it out, and only the last server counts:
//!   if that one cannot be reached or answers 429, the POST is sent again. If a server acts on a POST and still answers
//!   with a 307, the client cannot know.
//!
//! Each attempt starts at the original URL. A redirect to another origin is an error, unless
//! [`with_other_origins`](RequestWithRedirects::with_other_origins) allows it. A timeout of reqwest for the entire
//! request starts anew with each redirect.
//!
//! Without this setting, the HTTP client handles redirects. If it follows none, like the client of [`client_builder`],
//! a redirect is rejected like any other response that is not an event stream. If it follows them, as reqwest does by
//! default (up to ten), it does not show which ones. A POST whose response comes from another URL counts as carried
//! out. But in these cases it is sent again, although a server has received it:
//!
//! * The second server cannot be reached, or refuses the stream over HTTP/2. The error does not show which of the two
//!   servers it was.
//! * The last redirect leads back to the original URL, and the response is a 429. Examples are a 303 to the path of the
//!   POST, and a 307 to another path and one back. In each attempt reqwest sends all requests again.
//!
//! Such a client also passes all headers on to another origin, except `Authorization`, `Cookie` and
//! `Proxy-Authorization`: the other server gets `Last-Event-ID`, headers such as `X-Api-Key`, and a `Referer` with the
//! path and the query of the URL, which may contain a token.
//!
//! # Errors
//!
//! [`OpenError`], [`ConnectionError`] and [`Stopped`] print what happened, such as "Connection refused", on one line.
//! They contain a `reqwest::Error`, whose URL is without user, password, query and fragment, because errors end up in
//! logs.
//!
//! If the server refused the request, [`OpenError::into_response`] takes its answer out of the error, with status,
//! headers and body, for an error of your own. [`Stopped`] has the same method.
//!
//! # HTTP/2
//!
//! Over HTTP/2, reqwest sends all requests to a server over one connection, and dropping a response does not close
//! it. If the server hangs, or is gone without having closed the connection, all further attempts use the same dead
//! connection. reqwest cannot open a fresh connection for a single request. So enable its keep-alive checks: the
//! client of [`client_builder`] has them, with this crate's feature `http2`, a default feature. Also set an idle
//! timeout, which detects a dead server over HTTP/1.1.
//!
//! ```no_run
//! use eventwire_reqwest::RequestBuilderExt;
//! use std::time::Duration;
//!
//! # fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let client = eventwire_reqwest::client_builder().build()?;
//! let source = client
//!     .get("https://example.com/events")
//!     .with_redirects(10)
//!     .eventsource()?
//!     // Longer than the interval of the server's keep-alives.
//!     .with_idle_timeout(Duration::from_secs(60));
//! # let _ = source;
//! # Ok(())
//! # }
//! ```
//!
//! The feature `http2` also detects a stream that the server has refused with `REFUSED_STREAM`, so that it
//! [has not processed][unprocessed] the request. The request is sent again, even if it is a POST.
//!
//! A server that closes its connection with a `GOAWAY` has not processed the streams above the last one that it names.
//! But a POST is not sent again after a `GOAWAY`, because hyper also returns this error for a stream that the server
//! has received. reqwest trusts the error: by default, it sends a request again after a `GOAWAY` without an error code,
//! and after `REFUSED_STREAM`, up to twice in each attempt. So a server may carry out a POST more than once. The client
//! of [`client_builder`] does not do that; for another one, set `.retry(reqwest::retry::never())`.
//!
//! A server, or a proxy, can also reset the stream in the middle of a response. The connection then counts as lost,
//! unless the error code is `NO_ERROR`: hyper ends the body as if the server had ended it, because servers may send
//! this reset [after a complete response][early]. So a POST whose response is reset in this way, between two events,
//! looks complete. Set the last event [with `with_end`][with-end], or read values with a dialect that requires the end.
//!
//! HTTP/2 is one of reqwest's default features. Without it (turn off the default features of both crates, and turn on
//! `reqwest-0-13` of this one), only HTTP/1.1 is used, where dropping a response closes its connection. If your program
//! cannot change the settings of the client, make a new client after a timeout:
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
//! # Features
//!
//! | feature | adds |
//! |---|---|
//! | `http2` (default) | [HTTP/2](#http2), with keep-alive checks |
//! | `json` | typed streams, [`.open_lines()`](RequestBuilderExt::open_lines) for JSON lines, and unexpected responses as JSON |
//! | `multipart` | [`.open_parts()`](RequestBuilderExt::open_parts) |
//! | `reqwest-0-12` | [reqwest 0.12](#reqwest-012) |
//! | `reqwest-0-13` (default) | reqwest 0.13 |
//! | `tracing` | [logs](https://docs.rs/eventwire-client/latest/eventwire_client/struct.EventSource.html#logs) |
//!
//! # reqwest 0.12
//!
//! The items at the root of this crate are for reqwest 0.13. The module [`reqwest_0_12`] has all of them for
//! reqwest 0.12 as well, under the same names. So a program that still uses it changes one line, and everything on this
//! page holds for it, too:
//!
//! ```
//! use eventwire_reqwest::reqwest_0_12::RequestBuilderExt;
//! # let _ = reqwest_0_12::RequestBuilder::open;
//! ```
//!
//! ```sh
//! cargo add eventwire-reqwest --no-default-features --features http2,reqwest-0-12
//! cargo add reqwest@0.12
//! ```
//!
//! Without the default feature `reqwest-0-13`, reqwest 0.13 is not compiled. In a browser this is required, because
//! wasm-bindgen refuses a program that contains both versions: they export the same names to JavaScript.
//!
//! Types that do not depend on the version, such as [`Event`], [`PlatformTimer`] and [`RedirectError`], are only at the
//! root.
//!
//! # Versions
//!
//! This crate is separate from `eventwire` so that a new version of reqwest does not break programs that only parse. The
//! root will change to the next version of reqwest with a new major version of this crate, and 0.13 will get a module. To
//! read chunks that reqwest has already received, [`eventwire::EventsExt`] is enough:
//! `response.bytes_stream().events()`.
//!
//! [refresh]: https://docs.rs/eventwire/latest/eventwire/recipes/clients/#a-token-that-is-renewed
//! [`eventwire`]: https://docs.rs/eventwire
//! [`eventwire_client`]: https://docs.rs/eventwire-client/latest/eventwire_client/
//! [`eventwire::EventsExt`]: https://docs.rs/eventwire/latest/eventwire/trait.EventsExt.html
//! [again]: https://docs.rs/eventwire-client/latest/eventwire_client/#what-is-sent-again
//! [`OpenError::into_response`]: https://docs.rs/eventwire-client/latest/eventwire_client/enum.OpenError.html#method.into_response
//! [`ConnectionError`]: https://docs.rs/eventwire-client/latest/eventwire_client/enum.ConnectionError.html
//! [`Stopped`]: https://docs.rs/eventwire-client/latest/eventwire_client/struct.Stopped.html
//! [3xx]: https://www.rfc-editor.org/rfc/rfc9110#section-15.4
//! [see-other]: https://www.rfc-editor.org/rfc/rfc9110#section-15.4.4
//! [temporary]: https://www.rfc-editor.org/rfc/rfc9110#section-15.4.8
//! [permanent]: https://www.rfc-editor.org/rfc/rfc9110#section-15.4.9
//! [unprocessed]: https://www.rfc-editor.org/rfc/rfc9113#section-8.7
//! [early]: https://www.rfc-editor.org/rfc/rfc9113#section-8.1
//! [with-end]: https://docs.rs/eventwire-client/latest/eventwire_client/struct.EventSource.html#method.with_end

#![cfg_attr(docsrs, feature(doc_cfg))]
#![allow(clippy::duplicate_mod, reason = "the folder `requests` is compiled for each version of reqwest")]
// Items that need a feature are mentioned on pages that exist without it, and cannot be linked to there.
#![cfg_attr(
    not(all(feature = "json", feature = "multipart", feature = "reqwest-0-12", feature = "reqwest-0-13")),
    allow(rustdoc::broken_intra_doc_links)
)]

#[cfg(not(any(feature = "reqwest-0-12", feature = "reqwest-0-13")))]
compile_error!("enable the feature `reqwest-0-13`, or `reqwest-0-12` for that version of reqwest");

mod platform_timer;
mod redirect_error;
#[cfg(feature = "reqwest-0-12")]
pub mod reqwest_0_12;
#[cfg(feature = "reqwest-0-13")]
mod reqwest_0_13;

#[cfg(feature = "reqwest-0-13")]
pub use self::reqwest_0_13::*;
pub use self::{platform_timer::PlatformTimer, redirect_error::RedirectError};

/// What a first program needs, so that it has to name only this crate.
#[doc(no_inline)]
pub use eventwire::{Block, BlockItem, BoxError, Comment, DecodeError, Decoder, Eof, Error, Event, Utf8Policy};
#[cfg(feature = "json")]
#[doc(no_inline)]
pub use eventwire::{Dialect, JsonError, WithEvent};
#[doc(no_inline)]
pub use eventwire_client::{
    Attempt, ConnectionError, EventSource, Handle, Hooks, Item, OpenError, Opened, Opening, ReconnectPolicy, Resend,
    ResponseHead, StopReason, Stopped, UnexpectedResponse, Verdict,
};
