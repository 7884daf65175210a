//! Server-Sent Events in browsers over `fetch`, without reqwest: the client of [`eventwire_client`], which reconnects,
//! and single responses as streams.
//!
//! ```sh
//! cargo add eventwire-web # with `--features json` for typed streams
//! cargo add web-sys --features console
//! ```
//!
//! ```no_run
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use eventwire_web::Request;
//!
//! let mut events = Request::get("/events").eventsource().events();
//! while let Some(event) = events.next().await {
//!     let event = event?;
//!     web_sys::console::log_2(&event.event_type().into(), &event.data().into());
//! }
//! # Ok(())
//! # }
//! ```
//!
//! When the connection drops, the stream reconnects after a delay and sends the last event ID. A permanent failure
//! ends the stream with an error. [`eventwire_client`] describes the items, what is retried, the delays, the
//! timeouts and the differences from a browser's `EventSource`. This page describes what depends on `fetch`.
//!
//! It is for `wasm32-unknown-unknown` with [wasm-bindgen]. It runs in pages, in workers, and in other hosts with
//! `fetch`, such as Node. On other targets it compiles, but calling it panics, like all of web-sys.
//!
//! The crate `eventwire-reqwest` also runs in browsers. If your page does not use reqwest anyway, use this crate: the
//! program is about [a third of the size]. It can also send IDs that are not ASCII.
//!
//! # Advantages over a browser's `EventSource`
//!
//! A request can have any method, headers and body. The status and the body of a refused request can be read. Delays
//! have backoff and jitter, and honour `Retry-After`. There are timeouts and typed streams. For example, a POST to a
//! language model:
//!
//! ```no_run
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use eventwire_web::{Dialect, Request};
//!
//! #[derive(serde::Deserialize)]
//! struct Token { text: String }
//!
//! let request = Request::post("/chat")
//!     .with_header("Content-Type", "application/json")
//!     .with_body(r#"{"prompt":"Hello"}"#);
//! let answer = request.open().await?; // or an error that says what the server answered
//! // With feature `json`. An answer without `[DONE]` is truncated.
//! let mut tokens = answer.json_with::<Token>(Dialect::OPENAI);
//! while let Some(token) = tokens.next().await {
//!     web_sys::console::log_1(&token?.text.into());
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # One response
//!
//! A stream that is not continued, such as a model's answer, needs no reconnecting. [`Request::open`] checks one
//! response and returns its events, or an error that says what the server answered. With feature `multipart`,
//! `open_parts` returns its parts:
//!
//! ```no_run
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use eventwire_web::Request;
//!
//! let mut parts = Request::post("/talk").with_body("Hello").open_parts().await?.into_body();
//! while let Some(part) = parts.next().await {
//!     let bytes = part?.bytes().await?;
//!     web_sys::console::log_1(&format!("{} bytes", bytes.len()).into());
//! }
//! # Ok(())
//! # }
//! ```
//!
//! [`Request::send`] returns the response itself, with any status. Its [`Body`] is a stream of chunks.
//!
//! # Cancelling
//!
//! Dropping the stream, the body or the future aborts the request, and the browser closes the connection. JavaScript
//! can also abort it if the request [has a signal](Request::with_signal).
//!
//! This includes a stream that is dropped at its end marker: the response usually ends a moment later, so the browser
//! and the server report an aborted request. If that matters, [read to the end][end].
//!
//! # When the network is back
//!
//! An event source that waits for its next attempt connects at once when the browser is online again, or when the page
//! becomes visible. It listens to the events [`online`] and [`visibilitychange`] until it is dropped; a worker has only
//! the first. This also ends a delay that comes from `retry` or from the policy's shortest delay, because the user has
//! come back or the network has changed. A delay that the server has asked for by `Retry-After` is not cut short. To
//! end a delay yourself, use the source's [handle].
//!
//! # What is sent again
//!
//! [By its method][again]: a GET always, a POST only if it was not carried out. Here that is known in two cases: the
//! server answered 429, without a redirect before it, or the function passed to [`from_fn`] failed. The browser reports
//! every redirect, even one to the URL of the request. `fetch` does not report whether a failed request has reached the
//! server, even if there is no network.
//!
//! # Other origins
//!
//! A request to another origin is subject to [CORS]: that server must allow the page's origin. For some headers, the
//! browser first asks the server for permission, in a preflight request with the method `OPTIONS`. Two of them are
//! common: `Content-Type: application/json`, and `Last-Event-ID`, which is sent when a stream reconnects after an
//! event with an ID. The server must answer with `Access-Control-Allow-Headers: Last-Event-ID, Content-Type`.
//!
//! A page can read `Content-Type` and a few other headers of the response. Further ones, such as `Retry-After`, must
//! be named in `Access-Control-Expose-Headers`. Cookies are sent to another origin only [with
//! credentials](Request::with_credentials).
//!
//! # Features
//!
//! | feature | adds |
//! |---|---|
//! | `json` | typed streams, [`Request::open_lines`] for JSON lines, and unexpected responses as JSON |
//! | `multipart` | [`Request::open_parts`] |
//! | `tracing` | [logs](https://docs.rs/eventwire-client/latest/eventwire_client/struct.EventSource.html#logs) |
//!
//! # Versions
//!
//! This crate is for web-sys 0.3 and wasm-bindgen 0.2, whose types are in its API. It is separate from `eventwire`
//! because they are not 1.0.
//!
//! [`eventwire_client`]: https://docs.rs/eventwire-client/latest/eventwire_client/
//! [again]: https://docs.rs/eventwire-client/latest/eventwire_client/#what-is-sent-again
//! [a third of the size]: https://docs.rs/eventwire/latest/eventwire/in_a_browser/#what-to-build
//! [end]: https://docs.rs/eventwire/latest/eventwire/in_a_browser/#the-end-of-an-answer
//! [handle]: https://docs.rs/eventwire-client/latest/eventwire_client/struct.EventSource.html#method.handle
//! [`online`]: https://html.spec.whatwg.org/multipage/indices.html#event-online
//! [`visibilitychange`]: https://html.spec.whatwg.org/multipage/interaction.html#page-visibility
//! [wasm-bindgen]: https://crates.io/crates/wasm-bindgen
//! [CORS]: https://fetch.spec.whatwg.org/#http-cors-protocol

#![cfg_attr(docsrs, feature(doc_cfg))]

mod abort_on_drop;
mod body;
mod browser_timer;
mod fetch_error;
mod from_fn;
mod headers;
mod news;
mod request;
mod request_connector;
mod send;
mod sleep;

/// Types that other items of this crate return, or use as associated types. You rarely need to name them.
pub mod adapters {
    pub use crate::{request_connector::RequestConnector, send::Sending, sleep::Sleep};
    #[cfg(feature = "json")]
    #[doc(no_inline)]
    pub use eventwire_client::adapters::OpenedLines;
    #[cfg(feature = "multipart")]
    #[doc(no_inline)]
    pub use eventwire_client::adapters::OpenedParts;
    #[doc(no_inline)]
    pub use eventwire_client::adapters::{SourceEventStream, UntilError};
}

pub use self::{
    body::Body,
    browser_timer::BrowserTimer,
    fetch_error::FetchError,
    from_fn::from_fn,
    request::{Request, RequestEventSource},
};

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

#[doc(no_inline)]
pub use web_sys::{AbortSignal, RequestCache, RequestCredentials, RequestMode};
