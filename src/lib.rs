//! Server-Sent Events (`text/event-stream`), decoded exactly as [the WHATWG standard] says: for any HTTP client, on any
//! runtime or none.
//!
//! # The first event
//!
//! A client that gives its body as a stream of byte chunks, as reqwest does (with its feature `stream`) and hyper through
//! http-body-util's `into_data_stream()`, is one method away:
//!
//! ```no_run
//! # #[cfg(not(miri))]
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use eventwire::Eventsource;
//! use futures_util::TryStreamExt;
//!
//! let response = reqwest::get("https://example.com/events").await?.error_for_status()?;
//! let mut events = response.bytes_stream().eventsource();
//! while let Some(event) = events.try_next().await? {
//!     println!("{}: {}", event.event_type(), event.data());
//! }
//! # Ok(())
//! # }
//! ```
//!
//! Anything that is [`Read`](std::io::Read) works the same way without `async`:
//!
//! ```
//! let reader = &b"event: greeting\ndata: hello\n\n"[..]; // a file, a socket, standard input
//! for event in eventwire::Events::from_reader(reader) {
//!     let event = event?;
//!     assert_eq!((event.event_type(), event.data()), ("greeting", "hello"));
//! }
//! # Ok::<(), eventwire::Error<std::io::Error>>(())
//! ```
//!
//! # Where to go from here
//!
//! | you have | you want |
//! |---|---|
//! | a `Stream` of chunks | [`EventStream`], or [`.eventsource()`](Eventsource) |
//! | an iterator of chunks, or a reader | [`Events`] |
//! | bytes, and a loop of your own | [`Decoder`]: [`decode`](Decoder::decode) lends events, [`decode_bytes`](Decoder::decode_bytes) gives owned ones |
//! | an interest in comments, unknown fields, exact bytes | [`line`](mod@line) |
//! | code that uses eventsource-stream | [how to move over](migration) |
//!
//! [`Event`] is what comes out of all of them. What may go wrong is in [`Error`]: the source's own error, or a
//! [`DecodeError`]. How the stream's end is taken is [`Eof`]'s to say.
//!
//! # What it promises
//!
//! 1. **Any cut, the same events.** However the bytes are cut into chunks, between CR and LF and inside a character too, the
//!    events, the errors, the last event ID and the reconnection time are the same, at the same byte.
//! 2. **No malformed input.** Every byte sequence is an event stream. Nothing panics, loops or goes silent. Invalid
//!    UTF-8 becomes U+FFFD as in ["UTF-8 decode"]; only the memory limit and [`Eof::Error`] are errors.
//! 3. **No waiting.** A line is over at its CR, and an event is out with the byte that completes it.
//! 4. **Linear.** Each byte is looked at a bounded number of times, whatever the chunks.
//! 5. **Bounded.** An event that is larger than [the limit](Decoder::with_max_event_size) is one error; decoding goes on
//!    after it. Comments are never held.
//! 6. **Nothing allocated in the steady state.** [`Decoder::decode`] allocates nothing once its buffers have grown;
//!    [`Decoder::decode_bytes`], nothing for an event that lies whole in its chunk, with the type and ID of the one before.
//! 7. **Memory is given back.** A large buffer is released after 32 small blocks, and owned events have no slack.
//! 8. **Nothing pulled that was not asked for.** The adapters ask their source for more only when the bytes they have
//!    are used up, and give every event before the error that follows it.
//!
//! # The standard's terms
//!
//! | in the standard | here |
//! |---|---|
//! | [parsing an event stream](https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream) | [`line::LineSplitter`] |
//! | field, comment | [`line::Field`] |
//! | [interpreting an event stream](https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation) | [`Decoder`] |
//! | data buffer, event type buffer | [`Event::data`], [`Event::event_type`] |
//! | last event ID string | [`Event::id`], [`Decoder::last_event_id`] |
//! | reconnection time | [`Decoder::reconnection_time`], [`Event::retry`] |
//! | dispatch the event | an event comes out |
//! | "any pending data must be discarded" | [`Eof::Discard`], the default |
//!
//! # Without `std`
//!
//! With `default-features = false` the crate needs `alloc` only. What is missing then is [`Events::from_reader`], and the
//! detection of vector instructions at run time. It has no clock, no thread and no task, and runs on wasm as it is.
//!
//! [the WHATWG standard]: https://html.spec.whatwg.org/multipage/server-sent-events.html
//! ["UTF-8 decode"]: https://encoding.spec.whatwg.org/#utf-8-decode

#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]
// What needs `std` is described where it is needed, and has no page to be linked to without it.
#![cfg_attr(not(feature = "std"), allow(rustdoc::broken_intra_doc_links))]

extern crate alloc;
#[cfg(any(feature = "std", test, doc))]
extern crate std;

mod block;
#[cfg(feature = "http-body")]
mod body;
mod buffer;
mod comment;
mod decoder;
mod digits;
mod encoding;
mod event;
mod feed;
mod field;
mod held;
mod interpreter;
mod invalid;
mod iter;
#[cfg(feature = "json")]
mod json;
mod keep_alive;
mod label;
pub mod line;
#[cfg(any(doc, doctest))]
pub mod migration;
mod open;
#[cfg(feature = "std")]
mod read;
mod size;
#[cfg(feature = "http-body")]
mod sse_body;
mod stream;
mod text;
mod timer;

#[cfg(feature = "json")]
pub use crate::json::{JsonError, JsonEvents, JsonStream, WithEvents};
#[cfg(feature = "std")]
pub use crate::read::ReadChunks;
#[cfg(feature = "tokio")]
pub use crate::timer::TokioTimer;
pub use crate::{
    block::Block,
    comment::Comment,
    decoder::{DecodeError, Decoder, Eof},
    event::{Event, EventRef},
    feed::Error,
    invalid::InvalidField,
    iter::Events,
    keep_alive::KeepAlive,
    stream::{EventStream, Eventsource},
    timer::Timer,
};
#[cfg(feature = "http-body")]
pub use crate::{
    body::BodyChunks,
    sse_body::{SseBody, response_headers},
};
pub use bytestring::ByteString;

/// The README's examples, as tests.
#[cfg(all(doctest, feature = "std"))]
#[doc = include_str!("../README.md")]
struct Readme;
