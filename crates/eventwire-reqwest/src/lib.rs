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
