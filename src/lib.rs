//! Server-Sent Events (`text/event-stream`), read and written exactly as [the WHATWG standard] specifies: with any HTTP
//! client and server, on any runtime or none.
//!
//! # The first minute
//!
//! A server, with axum:
//!
#![cfg_attr(not(doctest), doc = concat!("```rust\n", include_str!("../docs/first-server.rs"), "```"))]
//!
//! A client, with reqwest, which prints `tick 1`, `tick 2` and `tick 3` as they arrive:
//!
#![cfg_attr(not(doctest), doc = concat!("```rust\n", include_str!("../docs/first-client.rs"), "```"))]
//!
//! To run them, save them as `src/bin/server.rs` and `src/bin/client.rs`, and start `cargo run --bin server` and
//! `cargo run --bin client` in two terminals:
//!
//! ```sh
//! cargo add anyhow axum eventwire-reqwest futures-util reqwest@0.13
//! cargo add eventwire --features http-body
//! cargo add tokio --features full
//! ```
//!
//! `.open()` checks the response. If it is an error or a page of HTML, you get an error that says what the server
//! answered. To read the chunks of any other source, call [`chunks.events()`](EventsExt).
//!
//! # Which crate?
//!
//! | you want to | crate | the line that does it |
//! |---|---|---|
//! | read one response | [`eventwire-reqwest`] | `request.open().await?` |
//! | read the answer of a language model as values | [`eventwire-reqwest`] with `json` | `request.open().await?.json_with::<Token>(Dialect::OPENAI)` |
//! | read JSON lines, as Docker and Kubernetes send them | [`eventwire-reqwest`] with `json` | `request.open_lines().await?.json_lines::<Line>()` |
//! | … those of Ollama | [`eventwire-reqwest`] with `json` | `request.open_lines().await?.json_lines_with::<Reply>(Dialect::OLLAMA)` |
//! | follow a feed, and reconnect | [`eventwire-reqwest`] | `request.eventsource()?.events()` |
//! | do all of this with reqwest 0.12 | [`eventwire-reqwest`] with `reqwest-0-12` | `use eventwire_reqwest::reqwest_0_12::RequestBuilderExt;` |
//! | do the same with another HTTP client | [`eventwire-client`] | `open(response, timer).await?`, `EventSource::with_connector(..)` |
//! | do the same in a web page or a worker | [`eventwire-web`] | `Request::get("/events").eventsource().events()` |
//! | decode chunks, a file, a socket or a body | `eventwire` | `chunks.events()`, `Events::from_reader(file)` |
//! | decode in a loop of your own, also without `std` | `eventwire`, with `--no-default-features` | `decoder.decode(&mut input)?` |
//! | send events as a response | `eventwire` with `http-body` | `EventBody::new(events).response()` |
//! | send one stream to many readers, who may come back | [`eventwire-hub`] | `EventBody::new(channel.subscribe(resume)?).response()` |
//! | … across a restart, from the processes of one machine | [`eventwire-hub`], [`eventwire-sqlite`] | `Hub::new(SqliteLog::open("events.db")?)` |
//! | … from several machines, stored with the changes of your tables | [`eventwire-hub`], [`eventwire-postgres`] | `Hub::new(PostgresLog::open(url)?)` |
//! | … from several machines that share a Redis | [`eventwire-hub`], [`eventwire-redis`] | `Hub::new(RedisLog::open(url)?)` |
//! | count tokens in a [proxy][counting], and forward every byte | `eventwire` with `http-body` | [`Tap::from_response(response, observer)`][from_response] |
//! | read or send text and audio in one response | [`eventwire-multipart`] with `http-body` | `Parts::from_response(response)?.next().await` |
//! | check in [a test][handler test] what your server sends | [`eventwire-lint`] | `assert_eq!(eventwire_lint::check(body), [])` |
//! | test a client against a server that breaks | [`eventwire-test`] | `TestServer::new().answer(Script::events(events).cut_after(2))` |
//! | find out why nothing arrives | [`eventwire-cli`], a program | `eventwire check URL` |
//! | … record a stream, and serve it with faults | [`eventwire-cli`], a program | `eventwire record URL -o FILE`, `eventwire serve FILE --cut-after 2` |
//!
//! If nothing arrives, the [README](https://github.com/eventwire/eventwire#nothing-arrives) lists the usual reasons.
//!
//! # Events, blocks and comments
//!
//! A stream is text. Its lines set fields, such as `data: hello`. The lines up to the next blank line are a *block*,
//! and a block with data is an *event*: it has a type (`"message"` if the block sets none), data, and the last event ID
//! that was set in the stream. A line that begins with a colon is a *comment*. Servers send comments so that a silent
//! connection is not closed.
//!
//! ```text
//! event: price        a block: it sets a type, an ID and data,
//! id: 7               so it is an event
//! data: 42
//!                     the blank line that ends it
//! : still here        a comment
//!
//! retry: 3000         a block without data: no event, but clients now wait
//!                     3 seconds before they reconnect
//! ```
//!
//! Most programs need only the events. A program that handles whole streams, such as a proxy, can also read blocks and
//! comments.
//!
//! [`.events()`](EventsExt) works on any stream of byte chunks. For a hyper body, use http-body-util's
//! `into_data_stream()`, or `Events::from_body` with feature `http-body`.
//!
//! Without `async`, [`Events`] reads from anything that implements [`Read`](std::io::Read):
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
//! For your own loop over bytes, use a [`Decoder`]. Where possible, its events borrow from your buffer:
//!
//! ```
//! let mut decoder = eventwire::Decoder::new();
//! // One chunk. Call `decode` until it returns `None`.
//! let mut input = &b"data: one\n\ndata: three\n\n"[..];
//! let mut lengths = Vec::new();
//! while let Some(event) = decoder.decode(&mut input)? {
//!     lengths.push(event.data().len());
//! }
//! assert_eq!(lengths, [3, 5]);
//! # Ok::<(), eventwire::DecodeError>(())
//! ```
//!
//! # JSON from a language model
//!
//! ```sh
//! cargo add anyhow serde_json
//! cargo add eventwire-reqwest --features json
//! cargo add reqwest@0.13 --features json
//! cargo add tokio --features full
//! ```
//!
//! With feature `json`, each event's data is parsed into a type: your own, or serde_json's `Value`. With the crate
//! [`eventwire-reqwest`], `.open()` sends the request and checks the response:
//!
#![cfg_attr(not(doctest), doc = concat!("```rust\n", include_str!("../docs/first-answer.rs"), "```"))]
//!
//! A [`Dialect`] says what the service adds: the event that ends its streams, its keep-alives, and how it reports
//! errors. A stream that ends without that event is truncated, which is an error. If the service writes its error as
//! text that is not an event, such as JSON or HTML, [that is an error too](JsonError#text-that-is-no-field). There is a
//! dialect for each common format, and [`Dialect`] lists the services. The same works on the events of any source:
//!
//! ```
//! # #[cfg(all(feature = "json", feature = "std"))] {
//! #[derive(serde::Deserialize)]
//! struct Token { text: String }
//!
//! let body = "data: {\"text\":\"Hello\"}\n\ndata: {\"text\":\"!\"}\n\ndata: [DONE]\n\n";
//! let events = eventwire::Events::from_reader(body.as_bytes());
//! let mut answer = String::new();
//! for token in events.json_with::<Token>(eventwire::Dialect::OPENAI) {
//!     answer += &token?.text;
//! }
//! assert_eq!(answer, "Hello!");
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Reconnecting
//!
//! With the crate [`eventwire-reqwest`], added as above, a request (POST included) becomes a stream of events that
//! reconnects when the connection drops. `.events()` on the source returns the events alone; here is everything that
//! happens:
//!
#![cfg_attr(not(doctest), doc = concat!("```rust\n", include_str!("../docs/first-feed.rs"), "```"))]
//!
//! The crate [`eventwire-client`] describes when it reconnects, how to configure and observe it, and how to use any
//! other HTTP client. In a [browser](in_a_browser), use the crate [`eventwire-web`] instead of `eventwire-reqwest`.
//!
//! # Serving events
//!
//! An [`Event`] is built from any text. Nothing in the text can end the event early or start another one:
//!
//! ```
//! use eventwire::Event;
//!
//! let event = Event::new("two\nlines").with_event_type("greeting")?.with_id("1")?;
//! assert_eq!(event.to_bytes(), "event: greeting\nid: 1\ndata: two\ndata: lines\n\n");
//! # Ok::<(), eventwire::InvalidField>(())
//! ```
//!
//! With feature `http-body`, an `EventBody` turns a stream of events into a response for axum, hyper and others. To
//! send one stream to many readers, who continue where they were when they reconnect, use a `Channel` of the crate
//! [`eventwire-hub`].
//!
//! # Where to go from here
//!
//! The [recipes] are tested code to copy: servers, proxies, and clients over reqwest, ureq, awc, tokio and `fetch`.
//!
//! | you have, or need | use |
//! |---|---|
//! | a `Stream` of chunks | [`Events`], by [`.events()`](EventsExt) |
//! | an iterator of chunks, or a reader | [`Events`], by [`new`](Events::new) or [`from_reader`](Events::from_reader) |
//! | your own loop over bytes | [`Decoder`]: [`decode`](Decoder::decode) returns borrowed events, [`decode_bytes`](Decoder::decode_bytes) owned ones |
//! | blocks with their own fields as on the wire, or comments | [`Decoder::decode_block`], or [`.blocks()`](Events::blocks) on an adapter; each item is a [`Block`] or a [`Comment`] |
//! | events whose data is JSON | [`JsonStream`], by `.json_with(dialect)` or `.json()` on `Events`, or on the stream of a [client][`eventwire-client`] |
//! | lines of JSON, as Ollama, Docker and Kubernetes send them | `.json_lines()` on chunks or on [`Events`], `.open_lines()` on a request of [`eventwire-reqwest`] |
//! | the end, the keep-alives and the errors of a service, but no JSON | [`.with_dialect(dialect)`](Events::with_dialect) |
//! | values to send as JSON | [`Event::encoded_json`] for an `EventBody`, [`Event::encode_json`] for a buffer, [`Event::with_json`] |
//! | an `http_body::Body` | `Events::from_body` |
//! | a peer that may die without closing the connection, or hang | [`.with_idle_timeout()`](Events::with_idle_timeout) and [`.with_progress_timeout()`](Events::with_progress_timeout) on a stream of events, [`Timeout`] on chunks |
//! | a proxy that counts or logs | a [`Tap`]: it forwards chunks or a body unchanged, and shows each block and comment to a function, or to an [`Observe`] that also learns how the stream ended |
//! | a proxy that changes what it forwards | [`.blocks()`](Events::blocks), a function, and an `EventBody`: see the [recipe](recipes::proxies#a-proxy-that-changes-what-it-forwards) |
//! | a request, for one checked response | `.open()` of [`eventwire-reqwest`], or `open` of [`eventwire-client`] for another HTTP client |
//! | a request that should stay connected | the crate [`eventwire-reqwest`], or [`eventwire-client`] for another HTTP client |
//! | a multipart response: text, audio and tool calls together, or a camera's frames | the crate [`eventwire-multipart`] |
//! | events to send | [`Event`], [`EventRef`], [`Comment`], [`Block`]; [`Encoded`] for many readers; `EventBody` for HTTP, also for [your own types](IntoOutgoing), [`KeepAlive`] for keep-alives |
//! | one stream for many readers, who return and resume | the crate [`eventwire-hub`] |
//! | unknown fields, or the exact bytes of lines | [`line`](mod@line) |
//! | the text of a server that answered with something else | [`Decoder::ignored`], also by [`Events::decoder`] |
//! | a web page, or another program in wasm | [what to know in a browser](in_a_browser), and the crate [`eventwire-web`] |
//! | code that uses eventsource-stream, reqwest-eventsource, sse-stream, eventsource-client or axum's `Sse` | [how to migrate](migration) |
//!
//! Streams of events return an [`Error`]: the source's error, or a [`DecodeError`]. A [`JsonStream`] returns a
//! [`JsonError`]. [`Eof`] sets what happens to an event that is unfinished when the stream ends.
//!
//! # Guarantees
//!
//! These hold for every stream, however it was sent. Tests compare the crate with a second decoder, which is slow and
//! follows the standard line by line, on millions of generated streams; and with *fixtures*, which are small streams in
//! files, each beside a file with the events that it must give.
//!
//! 1. **Any split, the same events.** The events, the errors, their order, the last event ID and the reconnection
//!    time do not depend on how the bytes are split into chunks, even if a split is between CR and LF or inside a
//!    character.
//! 2. **No malformed input.** Every byte sequence is an event stream. Decoding never panics, loops forever or stops
//!    silently. Invalid UTF-8 becomes U+FFFD, as in ["UTF-8 decode"]. The decoder returns an error only for an event
//!    (or, if you read blocks, a comment) larger than the limit, and where you set [`Eof::Error`] or another
//!    [`Utf8Policy`] than the default. (If a function that you pass in panics, so does the call.)
//! 3. **No waiting.** A CR ends its line immediately, even if an LF may follow. Each event, block or comment is
//!    returned as soon as the byte that completes it has been read.
//! 4. **Linear time.** The time to decode a stream is proportional to its length, for any chunk sizes.
//! 5. **Bounded memory.** An event larger than [the limit](Decoder::with_max_event_size) is reported as one error,
//!    and decoding continues after it. Comments are not stored unless you read blocks; then the limit applies to each
//!    comment. For any stream, a decoder uses [at most](Decoder::with_max_event_size) 9 times the limit, or 10 times
//!    with owned events or with blocks, plus 4 KiB; for valid text 5 and 6 times.
//! 6. **No allocation in the steady state.** [`Decoder::decode`] does not allocate once its buffers have grown. (What
//!    is [too large to be kept](Decoder#memory) is released, and allocated again.) [`Decoder::decode_bytes`] does not
//!    allocate for an event with one valid data line that is contained in a single chunk, if its type and ID are those
//!    of the event before it. ([Its page](Decoder::decode_bytes) has the exceptions.)
//! 7. **Memory is released.** A buffer of more than 64 KiB is freed after 32 small blocks. Owned events have no spare
//!    capacity.
//! 8. **Lazy.** The adapters read from their source only when the bytes they have are used up, and return every event
//!    before the error that follows it.
//! 9. **What is written is read back.** If you encode an event, and decode the bytes as a separate stream, you get an
//!    equal event, for any text in it. (Only each line end in its data becomes an LF.) Equal values are written as the
//!    same bytes. Encoding an event cannot fail and [allocates at most once](Event::encode); only a buffer of a fixed
//!    size that is too small causes a panic. Writing a value as JSON can fail; `encode_json` then leaves the buffer
//!    unchanged.
//! 10. **Blocks lose nothing.** A [block](Block) that is written is read back with the same fields: exactly those that
//!     are `Some` are written. The [blocks and comments](Decoder::decode_block) of a stream are in order, and
//!     [their events](Block::event) are those of [`decode`](Decoder::decode). If you encode them again, the new stream
//!     means the same to every reader. (Only a `retry` in a block that the end, or an invalid line with
//!     [`Utf8Policy::Stop`], cuts off takes effect without being returned.)
//! 11. **A [tap](Tap) changes no byte.** It forwards its input immediately, in the same chunks. (After its observer has
//!     panicked, it does so without calling it.)
//!
//! # The standard's terms
//!
//! | in the standard | here |
//! |---|---|
//! | [parsing an event stream](https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream) | [`line::Lines`] |
//! | field, comment | [`line::Field`] or the fields of a [`Block`]; [`Comment`] |
//! | [interpreting an event stream](https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation) | [`Decoder`] |
//! | data buffer, event type buffer | [`Event::data`], [`Event::event_type`] |
//! | last event ID string | [`Event::last_event_id`], [`Decoder::last_event_id`] |
//! | reconnection time | [`Decoder::reconnection_time`], [`Event::retry`] |
//! | dispatch the event | an event is returned |
//! | [reestablish the connection](https://html.spec.whatwg.org/multipage/server-sent-events.html#reestablish-the-connection), fail the connection | [`Action::Wait`], [`Action::Stop`] |
//! | [keep-alive comments](https://html.spec.whatwg.org/multipage/server-sent-events.html#authoring-notes) | [`Comment`], [`KeepAlive`] |
//! | "any pending data must be discarded" | [`Eof::Discard`], the default |
//!
//! # Features
//!
//! | feature | adds |
//! |---|---|
//! | `std` (default) | [`Events::from_reader`], and run-time detection of vector instructions |
//! | `simd` (default) | vectorised UTF-8 validation of long values |
//! | `json` | [`JsonStream`] for events and for lines, [`Event::with_json`] and more, with serde_json |
//! | `http-body` | `Events::from_body`, `EventBody`; enables `std` |
//! | `tokio` | `TokioTimer` |
//!
//! A feature adds items, speed or logs. It never changes the behaviour of existing items.
//!
//! Without features the crate needs only `alloc`. It has no clock, threads or tasks, and runs on wasm unchanged.
//! Keep-alives and timeouts take a [`Timer`].
//!
//! [`Action::Wait`]: https://docs.rs/eventwire-client/latest/eventwire_client/enum.Action.html#variant.Wait
//! [`Action::Stop`]: https://docs.rs/eventwire-client/latest/eventwire_client/enum.Action.html#variant.Stop
//! [counting]: recipes::proxies#a-proxy-that-counts-tokens
//! [from_response]: Tap::from_response
//! [handler test]: https://docs.rs/eventwire-lint/latest/eventwire_lint/#a-test-of-a-handler
//! [`eventwire-cli`]: https://crates.io/crates/eventwire-cli
//! [`eventwire-client`]: https://docs.rs/eventwire-client
//! [`eventwire-hub`]: https://docs.rs/eventwire-hub
//! [`eventwire-lint`]: https://docs.rs/eventwire-lint
//! [`eventwire-multipart`]: https://docs.rs/eventwire-multipart
//! [`eventwire-postgres`]: https://docs.rs/eventwire-postgres
//! [`eventwire-redis`]: https://docs.rs/eventwire-redis
//! [`eventwire-reqwest`]: https://docs.rs/eventwire-reqwest
//! [`eventwire-sqlite`]: https://docs.rs/eventwire-sqlite
//! [`eventwire-test`]: https://docs.rs/eventwire-test
//! [`eventwire-web`]: https://docs.rs/eventwire-web
//! [the WHATWG standard]: https://html.spec.whatwg.org/multipage/server-sent-events.html
//! ["UTF-8 decode"]: https://encoding.spec.whatwg.org/#utf-8-decode

#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]
// Items that need a feature are mentioned on pages that exist without it, and cannot be linked to there.
#![cfg_attr(not(all(feature = "std", feature = "json", feature = "http-body")), allow(rustdoc::broken_intra_doc_links))]

extern crate alloc;
#[cfg(any(
    feature = "std",
    all(feature = "tokio", not(all(target_arch = "wasm32", any(target_os = "unknown", target_os = "none")))),
    test,
    doc
))]
extern crate std;

mod alarm;
mod decoder;
mod encoding;
mod event;
mod events_ext;
mod feed;
#[cfg(any(doc, doctest))]
pub mod in_a_browser;
#[cfg(feature = "json")]
mod json;
pub mod line;
#[cfg(any(doc, doctest))]
pub mod migration;
#[cfg(any(doc, doctest))]
pub mod recipes;
mod server;
mod timer;

#[cfg(feature = "std")]
pub use crate::feed::ReadChunks;
#[cfg(feature = "http-body")]
pub use crate::feed::{BodyChunks, TapError};
#[cfg(feature = "json")]
pub use crate::json::{Dialect, JsonError, JsonStream, Payload, WithEvent};
#[cfg(feature = "http-body")]
pub use crate::server::EventBody;
#[cfg(all(feature = "tokio", not(all(target_arch = "wasm32", any(target_os = "unknown", target_os = "none")))))]
pub use crate::timer::TokioTimer;
pub use crate::{
    decoder::{DecodeError, Decoder, Eof, InvalidUtf8, Position, Utf8Policy},
    encoding::{Encoded, InvalidEncoded},
    event::{
        Block, BlockItem, BlockItemRef, BlockRef, Comment, Event, EventId, EventRef, EventType, IntoOutgoing, IntoText,
        InvalidField, Outgoing,
    },
    events_ext::EventsExt,
    feed::{BoxError, End, Error, Events, Observe, Tap, Timeout},
    server::KeepAlive,
    timer::Timer,
};
pub use bytestring::ByteString;

/// Types that other items of this crate return. You rarely need to name them.
pub mod adapters {
    #[cfg(feature = "json")]
    pub use crate::feed::LineEvents;
    pub use crate::feed::{Blocks, Next, NoTimer};
}

/// For the other crates of this repository only. Their older releases need it as well, so it does not change between
/// major versions.
#[doc(hidden)]
pub mod internal {
    #[cfg(feature = "json")]
    pub use crate::feed::Rest;
    pub use crate::feed::{Chain, Excerpt, MediaTypes, Rounded, Turn, Watchdog, content_codings};
    #[cfg(feature = "std")]
    pub use crate::server::random_seed;
}
