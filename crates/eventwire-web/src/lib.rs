//! [`eventwire`] in browsers, over their `fetch`: a request becomes a stream of events that reconnects, or one streamed response.
//!
//! ```no_run
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use eventwire_web::Request;
//! use futures_util::TryStreamExt;
//!
//! let mut events = Request::get("/events").eventsource().events();
//! while let Some(event) = events.try_next().await? {
//!     web_sys::console::log_2(&event.event_type().into(), &event.data().into());
//! }
//! # Ok(())
//! # }
//! ```
//!
//! It is for `wasm32-unknown-unknown` with [wasm-bindgen], and runs in pages and workers, and in other hosts with `fetch`, such as Node. On other
//! targets it compiles, but calling it panics, as with all of web-sys. When the connection drops, it reconnects after a delay and sends the last
//! event ID. A permanent failure ends the stream with an error. [`eventwire::client`] describes the items, the delays, the timeouts
//! and the differences from browsers.
//!
//! The crate `eventwire-reqwest` runs in browsers too. This one is for pages that do not use reqwest otherwise: a program
//! with it is about [a third of the size]. It also sends IDs that are not ASCII.
//!
//! # What it does that a browser's `EventSource` does not
//!
//! Any method, headers and body; the status and the body of a refused request; delays with backoff and jitter; `Retry-After`; timeouts;
//! and typed streams. A POST to a language model is one expression:
//!
//! ```no_run
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use eventwire_web::Request;
//! use futures_util::TryStreamExt;
//!
//! #[derive(serde::Deserialize)]
//! struct Token { text: String }
//!
//! let mut tokens = Request::post("/chat")
//!     .with_header("Content-Type", "application/json")
//!     .with_body(r#"{"prompt":"Hello"}"#)
//!     .eventsource()
//!     .events()
//!     .json::<Token>() // feature `json` of eventwire
//!     .require_end_marker(); // an answer without `[DONE]` is cut off
//! while let Some(token) = tokens.try_next().await? {
//!     web_sys::console::log_1(&token.text.into());
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # One response
//!
//! [`Request::send`] returns one response whose [`Body`] is a stream of chunks. It is for streams that are not resumed, for example of parts:
//!
//! ```no_run
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use eventwire::multipart::{PartDecoder, Parts}; // feature `multipart` of eventwire
//! use eventwire_web::Request;
//!
//! let response = Request::post("/talk").with_body("Hello").send().await?;
//! let content_type = response.headers().get("content-type").ok_or("no content type")?;
//! let decoder = PartDecoder::from_content_type(content_type.as_bytes())?;
//! let mut parts = Parts::new(response.into_body(), decoder);
//! while let Some(part) = parts.next().await {
//!     let bytes = part?.bytes().await?;
//!     web_sys::console::log_1(&format!("{} bytes", bytes.len()).into());
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # Cancelling
//!
//! Dropping the stream, the body or the future aborts the request: the browser closes the connection. JavaScript can abort it too, if the
//! request [has a signal](Request::with_signal).
//!
//! # What is sent again
//!
//! A GET is sent again after a lost connection. A request that [is not idempotent](eventwire::client::Resend), such as a POST, is sent again
//! only if the server answered 429 or 503, without a redirect before it. `fetch` does not tell whether a request that failed
//! had reached the server, so a POST is not sent again after an error, even without a network.
//!
//! # Other origins
//!
//! A request to another origin is subject to [CORS]: that server must allow the page's origin. `fetch` also asks first (a preflight
//! request) whether headers are allowed, in particular `Last-Event-ID`, which a request has once it reconnects after an event with an ID, and
//! `Content-Type: application/json`. The server must answer `OPTIONS` with `Access-Control-Allow-Headers: Last-Event-ID, Content-Type`.
//! Besides `Content-Type` and a few others, a page can read only the response headers that `Access-Control-Expose-Headers` names: `Retry-After`
//! has to be named. Cookies are
//! sent to another origin only [with credentials](Request::with_credentials).
//!
//! # Versions
//!
//! This crate is for web-sys 0.3 and wasm-bindgen 0.2, whose types are in its API. It is separate from `eventwire` because they are not 1.0.
//!
//! [a third of the size]: https://docs.rs/eventwire/latest/eventwire/in_a_browser/#what-to-build
//! [wasm-bindgen]: https://crates.io/crates/wasm-bindgen
//! [CORS]: https://fetch.spec.whatwg.org/#http-cors-protocol

#![cfg_attr(docsrs, feature(doc_cfg))]

mod abort_on_drop;
mod body;
mod browser_timer;
mod connecting;
mod fetch_error;
mod headers;
mod last_request;
mod request;
mod request_connector;
mod request_fn_connector;
mod response_url;
mod sleep;

/// Types that other items of this crate return or are associated with. You rarely need to name them.
pub mod adapters {
    pub use crate::{connecting::Connecting, request_fn_connector::RequestFnConnector, sleep::Sleep};
}

pub use self::{
    body::Body,
    browser_timer::BrowserTimer,
    fetch_error::FetchError,
    request::{Request, RequestEventSource},
    request_connector::RequestConnector,
    request_fn_connector::from_fn,
    response_url::ResponseUrl,
};

#[doc(no_inline)]
pub use web_sys::{AbortSignal, RequestCache, RequestCredentials, RequestMode};
