//! A client that reconnects: what the `EventSource` of a browser does, over any HTTP client, on any runtime.
//!
//! # The first event
//!
//! With the crate [`eventwire-reqwest`] it is one method away:
//!
#![cfg_attr(not(doctest), doc = include_str!("../docs/reconnect.md"))]
//!
//! It runs for as long as the server wants. When the connection drops, it reconnects after a delay and sends the last event ID. A
//! permanent failure ends the stream with an error. To see each connection come and go, read the [`EventSource`] itself, whose items
//! are [`Item`]s:
//!
#![cfg_attr(not(doctest), doc = include_str!("../docs/client-items.md"))]
//!
//! # JSON or events
//!
//! Some servers answer with JSON instead of an event stream, for example one that does not know `"stream": true`. Such a response stops
//! the source, and its [`Refusal`] has the body: all of it, if the limits on size and time allow.
//!
#![cfg_attr(not(doctest), doc = include_str!("../docs/json-or-events.md"))]
//!
//! # Its parts
//!
//! | | | needs |
//! |---|---|---|
//! | [`Reconnect`] | decides what to do next, and when, without I/O, a clock or `std`; its settings are a [`ReconnectPolicy`] | |
//! | [`EventSource`] | a stream that does it, over a [`Connector`] and a [`Timer`](crate::Timer) | feature `client` |
//! | `eventwire_reqwest` | `.eventsource()` on reqwest's requests: on sockets with tokio, in browsers with their `fetch` | the crate [`eventwire-reqwest`] |
//!
//! Any other HTTP client is a function away, from an [`Attempt`] to a future of a response: see [`connector_fn`], and the example
//! `hyper-client` in the repository. In a browser nothing has to be `Send`.
//!
//! [`eventwire-reqwest`]: https://docs.rs/eventwire-reqwest
//!
//! # What Chromium does otherwise
//!
//! The tests run the same 46 scenarios through this client and through the `EventSource` of Chromium 156, over real connections that are
//! cut in events and characters, reset, redirected, refused, mislabelled. What the server sees (how many requests, in which order, where to,
//! with which `Last-Event-ID`) and what the client sees (open, each event, reconnecting, closed) is the same, but for these:
//!
//! | scenario | why it is not the same here |
//! |---|---|
//! | 301 | The HTTP client follows redirects, and each attempt begins anew at the URL that it was given. Chromium goes on from where the last redirect led, the temporary ones included. |
//! | 307, each time | the same |
//! | 302 to an ftp: URL | To Fetch, a redirect to a scheme other than HTTP's is a network error, after which an event source reconnects. Chromium stops. |
//! | 429 with Retry-After | The standard has these fail. But servers answer so when they restart or have too much to do, and want their clients to come back. A verdict of your own sets the standard's rule. |
//! | 500, 502, 503, 504 | the same |
//! | another charset | The standard has parameters of the content type ignored, and every event stream be UTF-8. |
//! | plain text that says it is gzip | A body that the HTTP client has not decoded is no event stream, and would look like silence. Chromium opens, fails to decode it, and asks again without end. |
//! | an ID with U+0001 | A header's value has no control characters in HTTP, and most clients and servers refuse one. Chromium sends it. |
//!
//! And Chromium waits for just the reconnection time before each attempt, however many have failed; `retry: 0` has it ask without a
//! pause. Here there is [jitter, and backoff](ReconnectPolicy#the-delays).

#[cfg(feature = "client")]
mod event_source;
mod reconnect;

#[cfg(feature = "client")]
pub use self::event_source::{
    Attempt, ConnectionError, Connector, Decide, EventSource, Item, Refusal, Stopped, connector_fn,
};
pub use self::reconnect::{
    Action, Headers, ReadyState, Reconnect, ReconnectPolicy, Resend, ResponseHead, StopReason, Verdict,
};

/// Types that other items of this module return. You rarely need to name them.
#[cfg(feature = "client")]
pub mod adapters {
    pub use super::event_source::{
        ConnectorFn, SourceEventStream, WithCursor, WithDelay, WithEnd, WithErrorVerdict, WithProgress, WithVerdict,
    };
}
