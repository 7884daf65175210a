//! A client that stays connected: what the `EventSource` of a browser does, over any HTTP client, on any runtime.
//!
//! # The first event
//!
//! With reqwest (feature `reqwest`) it is one method away:
//!
//! ```no_run
//! # #[cfg(all(feature = "reqwest", not(miri)))]
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use eventwire::client::RequestBuilderExt;
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
//! It goes on for as long as the server wants. When the connection is no more, another is made after a while, and the server is
//! told the ID of the last event; what cannot be mended ends the stream with an error. To see each connection come and go, read the
//! [`EventSource`] itself, whose items are [`Item`]s:
//!
//! ```no_run
//! # #[cfg(all(feature = "reqwest", not(miri)))]
//! # async fn example(request: reqwest::RequestBuilder) -> Result<(), Box<dyn std::error::Error>> {
//! use eventwire::client::{Item, Reconnect, RequestBuilderExt};
//! use futures_util::StreamExt;
//! use std::time::Duration;
//!
//! let mut source = request
//!     .eventsource()?
//!     .with_reconnect(Reconnect::new().with_max_attempts(8))
//!     .with_idle_timeout(Duration::from_secs(60))
//!     .with_last_event_id("41")?;
//! while let Some(item) = source.next().await {
//!     match item {
//!         Item::Open(head) => println!("open: {}", head.status()),
//!         Item::Event(event) => println!("{}", event.data()),
//!         Item::Reconnecting { error, delay, attempt } => println!("{error}; attempt {attempt} in {delay:?}"),
//!         Item::Undecodable(error) => println!("{error}"),
//!         _ => {}
//!     }
//! }
//! let stopped = source.into_stopped();
//! if let Some(refusal) = stopped.refusal() {
//!     println!("{}", refusal.text()); // what the server has to say to a 401
//! }
//! if stopped.is_failure() { Err(stopped.into()) } else { Ok(()) }
//! # }
//! ```
//!
//! # Its parts
//!
//! | | | feature |
//! |---|---|---|
//! | [`Reconnect`] | the rules, without I/O, a clock, or `std`: what to do next, and when | |
//! | [`EventSource`] | a stream that follows them, over a [`Connector`] and a [`Timer`](crate::Timer) | `client` |
//! | [`RequestBuilderExt`] | `.eventsource()` on reqwest's requests: on sockets with tokio, in browsers with their `fetch` | `reqwest` |
//!
//! Any other HTTP client is a function away, from an [`Attempt`] to a future of a response: see [`Connector`], and the example `hyper`.
//! In a browser nothing has to be `Send`.
//!
//! # What Chromium does otherwise
//!
//! The tests run the same 39 scenarios through this client and through the `EventSource` of Chromium 156, over real connections that are
//! cut in events and characters, reset, redirected, refused, mislabelled. What the server sees (how many requests, in which order, where to,
//! with which `Last-Event-ID`) and what the client sees (open, each event, reconnecting, closed) is the same, but for these:
//!
//! | scenario | why it is not the same here |
//! |---|---|
//! | 301 | The HTTP client follows redirects, and each attempt begins anew at the URL that it was given. Chromium goes on from where the last redirect led, the temporary ones included. |
//! | 307, each time | the same |
//! | 429 with Retry-After | The standard has these fail. But servers answer so when they restart or have too much to do, and want their clients to come back. A classifier sets the standard's rule. |
//! | 500, 502, 503, 504 | the same |
//! | another charset | The standard has parameters of the content type ignored, and every event stream be UTF-8. |
//! | plain text that says it is gzip | A body that the HTTP client has not decoded is no event stream, and would look like silence. Chromium opens, fails to decode it, and asks again, for ever. |
//! | an ID with U+0001 | A header's value has no control characters in HTTP, and most clients and servers refuse one. Chromium sends it. |
//!
//! And Chromium waits for just the reconnection time before each attempt, however many have failed; `retry: 0` has it ask without a
//! pause. Here there is [jitter, and backoff](Reconnect#the-delays).

#[cfg(feature = "client")]
mod event_source;
mod reconnect;
#[cfg(feature = "reqwest")]
mod reqwest;

#[cfg(feature = "client")]
pub use self::event_source::{
    Attempt, ConnectionError, Connector, EventSource, Head, Item, Refusal, SourceEvents, Stopped,
};
pub use self::reconnect::{Action, ReadyState, Reconnect, Resend, ResponseHead, StopReason, Verdict};
#[cfg(feature = "reqwest")]
pub use self::reqwest::{
    RequestBuilderExt, RequestError, ReqwestChunks, ReqwestConnect, ReqwestConnector, ReqwestEventSource, ReqwestFn,
    ReqwestTimer,
};
