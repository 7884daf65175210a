//! Server-Sent Events (`text/event-stream`), read and written exactly as [the WHATWG standard] says: for any HTTP client and
//! server, on any runtime or none.
//!
//! # The first event
//!
//! A client that gives its body as a stream of byte chunks, as reqwest does (with its feature `stream`) and hyper through
//! http-body-util's `into_data_stream()`, is one method away:
//!
#![cfg_attr(not(doctest), doc = include_str!("../docs/read-a-response.md"))]
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
//! # Tokens of a language model
//!
//! With feature `json` each event's data is read into a type of yours, up to the end marker (`[DONE]` and its kin), and a stream
//! that was cut off can be told from one that is complete. [`JsonStream`] says which service sends what.
//!
//! ```
//! # #[cfg(all(feature = "json", feature = "std"))] {
//! #[derive(serde::Deserialize)]
//! struct Token { text: String }
//!
//! let reader = &b"data: {\"text\":\"Hello\"}\n\n: wait\n\ndata: {\"text\":\" world\"}\n\ndata: [DONE]\n\n"[..];
//! let mut answer = String::new();
//! for token in eventwire::Events::from_reader(reader).json::<Token>().require_end_marker() {
//!     answer += &token?.text;
//! }
//! assert_eq!(answer, "Hello world");
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # A client that reconnects
//!
//! With the crate [`eventwire-reqwest`] a request becomes a stream of events that reconnects when the connection drops: POST included, on
//! sockets and in browsers. [`eventwire-web`] does the same [in browsers](in_a_browser) without reqwest. [`client`] describes it, and the rules for any other HTTP client. Feature `tracing` logs what it
//! does.
//!
#![cfg_attr(not(doctest), doc = include_str!("../docs/reconnect.md"))]
//!
//! # The other end
//!
//! A server makes an [`Event`] of any text, and writes it where it likes; nothing in it can end the event or begin another.
//!
//! ```
//! use eventwire::Event;
//!
//! let event = Event::new("two\nlines").with_event_type("greeting")?.with_id("1")?;
//! assert_eq!(event.to_bytes(), "event: greeting\nid: 1\ndata: two\ndata: lines\n\n");
//! # Ok::<(), eventwire::InvalidField>(())
//! ```
//!
//! With feature `http-body`, `EventBody` is the body of a response, which axum and hyper take as it is.
//!
//! # Where to go from here
//!
//! | you have | you want |
//! |---|---|
//! | a `Stream` of chunks | [`EventStream`], or [`.eventsource()`](Eventsource) |
//! | an iterator of chunks, or a reader | [`Events`] |
//! | bytes, and a loop of your own | [`Decoder`]: [`decode`](Decoder::decode) lends events, [`decode_bytes`](Decoder::decode_bytes) gives owned ones |
//! | an interest in comments, or in IDs and types without data | [`Decoder::decode_block`], or [`.blocks()`](EventStream::blocks) on an adapter |
//! | a stream of JSON | [`JsonStream`], by `.json()` on any of these |
//! | values to send as JSON | [`Event::encoded_json`] for an `EventBody`, [`Event::encode_json`] into a buffer, or [`Event::with_json`] |
//! | an `http_body::Body` | `EventStream::from_body` |
//! | a peer that may die without closing the connection | [`.with_idle_timeout()`](EventStream::with_idle_timeout) on a stream of events, [`IdleTimeout`] on chunks |
//! | a proxy that counts or logs | [`Tap`]: chunks or a body passed on unchanged, each block shown to an observer |
//! | a proxy that changes what it passes on | [`Rewrite`]: a function keeps, removes or replaces each block |
//! | a request, and a wish to stay connected | the crate [`eventwire-reqwest`], or [`client`] |
//! | text, sound and calls in one response, or a camera's frames | `multipart`: streams of parts, with feature `multipart` |
//! | events to send | [`Event`], [`EventRef`], [`Comment`], [`Block`]; [`Encoded`] for many readers; `EventBody` for HTTP, [`KeepAlive`] for silence, [`Until`] for a shutdown |
//! | an interest in unknown fields, exact bytes | [`line`](mod@line) |
//! | a page, or another program in wasm | [what to know in a browser](in_a_browser), and the crate [`eventwire-web`] |
//! | an axum server, ureq, awc, another HTTP client, an `AsyncRead` | [recipes](recipes) to copy |
//! | code that uses eventsource-stream or reqwest-eventsource | [how to move over](migration) |
//!
//! [`Event`] is what comes out of them, or `T` of a stream of JSON. What may go wrong is in [`Error`]: the source's own error, or
//! a [`DecodeError`]; and in [`JsonError`]. How the stream's end is taken is [`Eof`]'s to say.
//!
//! # What it promises
//!
//! 1. **Any cut, the same events.** However the bytes are cut into chunks, between CR and LF and inside a character too, the
//!    events, the errors, the last event ID and the reconnection time are the same, in the same order.
//! 2. **No malformed input.** Every byte sequence is an event stream. Nothing panics, loops or goes silent. Invalid
//!    UTF-8 becomes U+FFFD as in ["UTF-8 decode"]. Errors come only from the memory limit, and from [`Eof::Error`] and
//!    [`InvalidUtf8::Error`] if they are set.
//! 3. **No waiting.** A line is over at its CR, and an event or any other block is out with the byte that completes it.
//! 4. **Linear.** Each byte is looked at a bounded number of times, whatever the chunks.
//! 5. **Bounded.** An event that is larger than [the limit](Decoder::with_max_event_size) is one error; decoding goes on
//!    after it. Comments are never held, unless you ask for blocks; then each has the limit for itself.
//! 6. **Nothing allocated in the steady state.** [`Decoder::decode`] allocates nothing once its buffers have grown;
//!    [`Decoder::decode_bytes`], nothing for an event that lies whole in its chunk, with the type and ID of the one before.
//! 7. **Memory is given back.** A large buffer is released after 32 small blocks, and owned events have no slack.
//! 8. **Nothing pulled that was not asked for.** The adapters ask their source for more only when the bytes they have
//!    are used up, and give every event before the error that follows it.
//! 9. **What is written is read.** An event that is written, and read again by itself, is the same event (each line end in its
//!    data as LF), whatever text is in it. Writing cannot fail, and allocates once at most.
//! 10. **Blocks lose nothing.** Whoever reads [blocks](Decoder::decode_block) has every comment, reconnection time, ID and type
//!     without data, in order. The events among them are those of [`decode`](Decoder::decode). What is read as blocks and
//!     written again means the same to every reader.
//! 11. **A tap changes no byte.** What a [`Tap`] passes on is what came, at once, in the chunks in which it came.
//!
//! # The standard's terms
//!
//! | in the standard | here |
//! |---|---|
//! | [parsing an event stream](https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream) | [`line::LineSplitter`] |
//! | field, comment | [`line::Field`]; [`Block::Comment`] |
//! | [interpreting an event stream](https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation) | [`Decoder`] |
//! | data buffer, event type buffer | [`Event::data`], [`Event::event_type`] |
//! | last event ID string | [`Event::id`], [`Decoder::last_event_id`] |
//! | reconnection time | [`Decoder::reconnection_time`], [`Event::retry`] |
//! | dispatch the event | an event comes out |
//! | [reestablish the connection](https://html.spec.whatwg.org/multipage/server-sent-events.html#reestablish-the-connection), fail the connection | [`client::Action::Wait`], [`client::Action::Stop`] |
//! | [keep-alive comments](https://html.spec.whatwg.org/multipage/server-sent-events.html#authoring-notes) | [`Comment`], [`KeepAlive`] |
//! | "any pending data must be discarded" | [`Eof::Discard`], the default |
//!
//! # Without `std`
//!
//! With `default-features = false` the crate needs `alloc` only. What is missing then is [`Events::from_reader`], and the
//! detection of vector instructions at run time. It has no clock, no thread and no task, and runs on wasm as it is; feature
//! `json` needs no `std` either. Keep-alives and timeouts get the time from a [`Timer`], the rules of reconnection
//! ([`client::Reconnect`]) from their caller.
//!
//! [`eventwire-reqwest`]: https://docs.rs/eventwire-reqwest
//! [`eventwire-web`]: https://docs.rs/eventwire-web
//! [the WHATWG standard]: https://html.spec.whatwg.org/multipage/server-sent-events.html
//! ["UTF-8 decode"]: https://encoding.spec.whatwg.org/#utf-8-decode

#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]
// What needs a feature is described where it is needed, and has no page to be linked to without it.
#![cfg_attr(
    not(all(feature = "std", feature = "json", feature = "client", feature = "http-body", feature = "multipart")),
    allow(rustdoc::broken_intra_doc_links)
)]

extern crate alloc;
#[cfg(any(
    feature = "std",
    all(feature = "tokio", not(all(target_arch = "wasm32", any(target_os = "unknown", target_os = "none")))),
    test,
    doc
))]
extern crate std;

mod alarm;
pub mod client;
mod decoder;
mod encoding;
mod event;
mod feed;
#[cfg(any(doc, doctest))]
pub mod in_a_browser;
#[cfg(feature = "json")]
mod json;
pub mod line;
#[cfg(any(doc, doctest))]
pub mod migration;
#[cfg(feature = "multipart")]
pub mod multipart;
#[cfg(any(doc, doctest))]
pub mod recipes;
mod server;
mod timer;

#[cfg(feature = "json")]
pub use crate::event::TruncateBuf;
#[cfg(feature = "http-body")]
pub use crate::feed::BodyChunks;
#[cfg(feature = "std")]
pub use crate::feed::ReadChunks;
#[cfg(feature = "json")]
pub use crate::json::{JsonError, JsonStream, Payload, WithEvent};
#[cfg(all(feature = "json", feature = "multipart"))]
pub use crate::json::{JsonPartError, JsonParts};
#[cfg(feature = "http-body")]
pub use crate::server::EventBody;
#[cfg(all(feature = "tokio", not(all(target_arch = "wasm32", any(target_os = "unknown", target_os = "none")))))]
pub use crate::timer::TokioTimer;
pub use crate::{
    decoder::{DecodeError, Decoder, Eof, InvalidText, InvalidUtf8},
    encoding::{Encoded, InvalidEncoded},
    event::{
        Block, BlockRef, Comment, Event, EventId, EventParts, EventRef, EventType, IntoBlock, IntoText, InvalidField,
    },
    feed::{
        Edit, Encode, Error, EventStream, Events, Eventsource, IdleTimeout, IdleTimeoutError, Oversize, Rewrite, Tap,
    },
    server::{KeepAlive, Until},
    timer::Timer,
};
pub use bytestring::ByteString;

/// Types that other items of this crate return. You rarely need to name them.
pub mod adapters {
    pub use crate::feed::Blocks;
}
