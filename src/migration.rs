//! How to migrate from other crates. Documentation only: this module has no items.
//!
//! This page describes how to replace [eventsource-stream](#replacing-eventsource-stream),
//! [reqwest-eventsource](#replacing-reqwest-eventsource), [sse-stream](#replacing-sse-stream),
//! [eventsource-client](#replacing-eventsource-client) and [axum's `Sse`](#replacing-axums-sse). The first two can also
//! be replaced in [all crates of a dependency tree](#a-whole-dependency-tree), without changing those crates.
//!
//! Statements about another crate apply to the version in the head of the table. Each row under "What behaves
//! differently" has a test in the repository's [`tests/migration`], which runs that version and eventwire on the same
//! streams.
//!
//! [`tests/migration`]: https://github.com/eventwire/eventwire/tree/main/tests/migration
//!
//! # How much work it is
//!
//! The least work is [a file in place of reqwest-eventsource](#a-file-in-place-of-the-crate): one more line,
//! `mod reqwest_eventsource;`, and `crate::` before the paths in other modules.
//!
//! To use eventwire's own names takes more. We moved four crates to eventwire in November 2026, to see how much. Lines of
//! tests are not counted. After the move, all tests that passed before pass, except two of rmcp, which expect that
//! unknown lines count towards the limit. Five assertions on the text of an error were adapted.
//!
//! | crate | from | lines | what changed |
//! |---|---|---|---|
//! | async-openai 0.43.0 | eventsource-stream 0.2.3 | 17 added, 17 removed | the names, and three lines of the manifest |
//! | genai 0.7.2 | its own parser | 69 added, 87 removed | `.open()` instead of status, content type, timeouts and the body of an unexpected response; 20 of the lines convert errors |
//! | misanthropic 1.0.0-alpha.25 | eventsource-stream 0.2.3 | 36 added, 42 removed | the names, and where its tests build events |
//! | rmcp 3.11.0, client and server | sse-stream 0.2.6 | 66 added, 232 removed | eventwire has the limit on an event's size and the timer that rmcp wrote for itself |
//!
//! # Replacing eventsource-stream
//!
//! `.eventsource()` on the chunks becomes `.events()`, and the parts of an event are methods. Before:
//!
#![cfg_attr(not(doctest), doc = include_str!("../docs/before-eventsource-stream.md"))]
//!
//! After:
//!
#![cfg_attr(not(doctest), doc = include_str!("../docs/from-eventsource-stream.md"))]
//!
//! | eventsource-stream 0.2.3 | eventwire | what to know |
//! |---|---|---|
//! | `Eventsource`, `.eventsource()` | [`EventsExt`](crate::EventsExt), `.events()` | in eventwire, `.eventsource()` is a method of requests: it returns a client that reconnects |
//! | your own check of status and content type before it | [`.open()`][`eventwire-reqwest`] on the request, or [`open`] on the response | only a 200 of type `text/event-stream` is opened; [`with_check`] accepts others |
//! | `EventStream::new(stream)` | [`Events::new`](crate::Events::new) | chunks are `Into<Bytes>` instead of `AsRef<[u8]>`: `Bytes`, `Vec<u8>`, `String`, `&'static [u8]`; copy a borrowed chunk with `Bytes::copy_from_slice` |
//! | `stream.set_last_event_id(id)` | [`Decoder::with_last_event_id`](crate::Decoder::with_last_event_id) and [`Events::with_decoder`](crate::Events::with_decoder) | |
//! | `stream.last_event_id()` | [`stream.decoder()`](crate::Events::decoder)[`.last_event_id()`](crate::Decoder::last_event_id) | |
//! | `event.event: String` | [`event.event_type()`](crate::Event::event_type) | `"message"` by default, in both |
//! | `event.data: String` | [`event.data()`](crate::Event::data), [`event.into_data()`](crate::Event::into_data) | `into_data` returns a [`ByteString`](crate::ByteString); `String::from` converts it |
//! | `event.id: String` | [`event.last_event_id()`](crate::Event::last_event_id) | |
//! | `event.retry: Option<Duration>` | [`event.retry()`](crate::Event::retry), [`reconnection_time`](crate::Decoder::reconnection_time) | |
//! | `Event { .. }`, `Event::default()` | [`Event::new`](crate::Event::new) and its `with_` methods | |
//! | `EventStreamError::Transport(e)` | [`Error::Transport`](crate::Error::Transport) | prints the error of the transport |
//! | `EventStreamError::Utf8(e)`, `EventStreamError::Parser(e)` | none | no stream is malformed |
//! | | [`Error::Decode`](crate::Error::Decode) | an event is larger than [the limit](crate::Decoder::with_max_event_size); the events after it follow |
//!
//! ## What behaves differently
//!
//! | stream | eventsource-stream 0.2.3 | eventwire |
//! |---|---|---|
//! | begins with a byte order mark | panics | drops the mark |
//! | an event that ends with two CRs | returned when the next byte arrives | returned at the second CR |
//! | bytes that are not UTF-8 | no more events, and an error at the end of the stream | U+FFFD, as in browsers |
//! | an event without an ID, after `set_last_event_id` | the ID is lost | the event has the ID |
//! | an ID in a block without data | `last_event_id()` changes with the next event | it changes at once |
//! | `retry` in a block without data | lost | in `reconnection_time()` |
//! | `retry: +5` | 5 ms | ignored: the standard allows digits only |
//! | a very large event | no limit | an error above 16 MiB, or your limit |
//!
//! # Replacing reqwest-eventsource
//!
//! There are two ways: a file that has the names of the crate, or [eventwire's client](#with-eventwires-client), which
//! does more.
//!
//! ## A file in place of the crate
//!
//! A program keeps its code and its reqwest, 0.12 or 0.13. Save [this file](#the-source-of-the-file) as
//! `src/reqwest_eventsource.rs`, and replace the dependency:
//!
//! ```sh
//! cargo remove reqwest-eventsource
//! cargo add eventwire --features http-body
//! cargo add bytes futures-core
//! cargo add tokio --features time
//! ```
//!
//! Then add one line to `main.rs` or `lib.rs`, and write `crate::` before the paths in other modules:
//!
//! ```ignore
//! mod reqwest_eventsource;
//!
//! use crate::reqwest_eventsource::{Event, EventSource};
//! ```
//!
//! All public names, items and errors stay, and the stream closes when it did. What is different is in
//! [the table](#what-behaves-differently-1). Two types have changed: a message is the file's `MessageEvent`, which has
//! the fields of eventsource-stream's `Event`, and `Error::Parser` contains a [`DecodeError`](crate::DecodeError). The
//! file is for sockets; in browsers, use [eventwire's client](#with-eventwires-client).
//!
//! reqwest-eventsource has no tests of its own. Those of the file run it beside the original, with both versions of
//! reqwest, and in async-openai 0.35.0, the last version that uses the crate. The original sends a POST again after an
//! answer breaks off, so a model is asked twice. With the file, async-openai returns the error.
//!
//! ## With eventwire's client
//!
//! `client.get(url).eventsource()?` stays, with the crate [`eventwire-reqwest`], for reqwest 0.12 and 0.13. The items
//! change. Before:
//!
//! [`eventwire-reqwest`]: https://docs.rs/eventwire-reqwest
//! [reqwest-0-12]: https://docs.rs/eventwire-reqwest/latest/eventwire_reqwest/#reqwest-012
//!
#![cfg_attr(not(doctest), doc = include_str!("../docs/before-reqwest-eventsource.md"))]
//!
//! After:
//!
#![cfg_attr(not(doctest), doc = include_str!("../docs/from-reqwest-eventsource.md"))]
//!
//! | reqwest-eventsource 0.6.0 | eventwire | what to know |
//! |---|---|---|
//! | `use reqwest_eventsource::RequestBuilderExt` | `use eventwire_reqwest::reqwest_0_12::RequestBuilderExt` | with [feature `reqwest-0-12`][reqwest-0-12], if your program stays at reqwest 0.12; else `use eventwire_reqwest::RequestBuilderExt` |
//! | `EventSource::new(request)?`, `request.eventsource()?` | `request.eventsource()?` | the error describes what is wrong with the request |
//! | an `EventSource` that is closed at its first error, as for a model's answer | `request.open().await?` | one response, checked; nothing is sent again |
//! | `EventSource::get(url)` | `client.get(url).eventsource()?` | sources of one client share its connection pool |
//! | `Ok(Event::Open)` | [`Item::Open`] | contains the head of the response |
//! | `Ok(Event::Message(message))` | `Item::Event(event)` | the event's parts are methods, as [above](#replacing-eventsource-stream) |
//! | `Err(error)`, if it reconnects | `Item::Reconnecting { error, delay, attempt }` | |
//! | `Err(error)`, if it does not | the stream ends; `into_result()` returns the error | `.events()` returns the events alone, and such an error as an `Err` |
//! | `Error::StreamEnded` | `ConnectionError::Ended` | |
//! | `Error::InvalidStatusCode`, `Error::InvalidContentType` | `ConnectionError::UnexpectedResponse` with an `UnexpectedResponse` | status, headers, and the beginning of the body |
//! | `Error::InvalidLastEventId` | [`StopReason::InvalidLastEventId`] | |
//! | `set_retry_policy(..)` | `with_policy(..)` with a [`ReconnectPolicy`] | |
//! | your own `RetryPolicy` | `with_error_verdict`, or `Hooks` | |
//! | `last_event_id()`, `ready_state()`, `close()` | the same | `with_last_event_id` sets the ID that the first request sends |
//!
//! ## What behaves differently
//!
//! Everything listed under [eventsource-stream](#what-behaves-differently), which it uses. There, the file does the same
//! as eventwire. And:
//!
//! | situation | reqwest-eventsource 0.6.0 | the file | eventwire |
//! |---|---|---|---|
//! | an event without an ID, after a reconnection | the last event ID is lost | it is kept | it is kept |
//! | reconnects, and there is no last event ID | sends an empty `Last-Event-ID` | sends no such header | sends no such header |
//! | `retry` in a block without data | lost | sets the reconnection time | sets the reconnection time |
//! | `retry: 0` | reconnects without a delay, in a busy loop | waits for at least 100 ms | waits for at least 100 ms |
//! | the response to a POST ends | the POST is sent again | it is not, unless the program sets a policy | it is not, unless [`Resend`] allows it |
//! | `max_retries: Some(2)` or more | has no effect | limits the attempts in a row that get no response | [`with_max_attempts`] limits those without an event |
//! | 200, and the connection is closed at once | the backoff starts again | the backoff continues until an event | the backoff continues: only [progress][the-delays] resets it |
//! | 204 | ends with an error | ends with an error | ends without one |
//! | 429, 503 | ends with an error | ends with an error | reconnects, after the time in `Retry-After`, but does not repeat a POST after 503; see [`Verdict`] |
//! | delays | the same in all clients | the same in all clients | with jitter |
//! | the connection ends inside an event | `StreamEnded`, as at any end | `StreamEnded`, as at any end | `ConnectionError::Truncated` |
//!
//! ## The source of the file
//!
//! <details><summary><code>src/reqwest_eventsource.rs</code></summary>
//!
#![cfg_attr(not(doctest), doc = concat!("```ignore\n", include_str!("../docs/reqwest-eventsource-shim.rs"), "```"))]
//!
//! </details>
//!
//! # Replacing sse-stream
//!
//! sse-stream returns each block of a stream with the fields that it contains. eventwire returns events, as the
//! standard defines them, or with [`.blocks()`](crate::Events::blocks) the same blocks, and comments. Before, with
//! 0.2 and 0.3 alike:
//!
#![cfg_attr(not(doctest), doc = include_str!("../docs/before-sse-stream.md"))]
//!
//! After, with the feature `http-body` for `EventBody`:
//!
#![cfg_attr(not(doctest), doc = include_str!("../docs/from-sse-stream.md"))]
//!
//! | sse-stream 0.2.4, 0.3.0 | eventwire | what to know |
//! |---|---|---|
//! | `SseStream::from_bytes_stream(stream)`; 0.3: `SseByteStream::new(stream)` | `stream.events()`, [`Events::new`](crate::Events::new) | a chunk is `Into<Bytes>` instead of `Buf` |
//! | `SseStream::new(body)` | `Events::from_body(body)` | feature `http-body` |
//! | `sse.event: Option<String>` | [`event.event_type()`](crate::Event::event_type), [`block.event_type()`](crate::Block::event_type) | of an event, `"message"` by default; of a block, an `Option` |
//! | `sse.data: Option<String>` | [`event.data()`](crate::Event::data), [`block.data()`](crate::Block::data) | every event has data |
//! | `sse.id: Option<String>` | [`event.last_event_id()`](crate::Event::last_event_id), [`block.id()`](crate::Block::id) | of an event, the last event ID; of a block, its own, as an `Option` |
//! | `sse.retry: Option<u64>` | [`event.retry()`](crate::Event::retry), [`block.retry()`](crate::Block::retry) | a `Duration` |
//! | `Sse { data: None, id, .. }`, which sets an ID or a `retry` alone | [`Block`](crate::Block), by `Block::default()` and its `with_` methods | for code that forwards blocks |
//! | a block without data | [`BlockItem::Block`](crate::BlockItem::Block) of [`.blocks()`](crate::Events::blocks) | it is no event |
//! | `Sse::default().event(e).data(d).id(i)` | [`Event::new(d)`](crate::Event::new), [`with_event_type(e)?`](crate::Event::with_event_type), [`with_id(i)?`](crate::Event::with_id) | type and ID are checked here |
//! | `retry(ms)`, `retry_duration(d)` | [`with_retry(d)`](crate::Event::with_retry) | |
//! | 0.2: `Bytes::from(sse)`; 0.3: `sse.encode()?` | [`event.to_bytes()`](crate::Event::to_bytes) | cannot fail |
//! | `SseBody::new(stream)` | `EventBody::new(stream)` | its items are events, blocks or comments; `.response()` adds the headers |
//! | `with_keep_alive::<T>(KeepAlive::new().interval(d))` | `with_keep_alive(d, timer)` | `TokioTimer`, or any function from a `Duration` to a future; you need not write a timer type |
//! | `KeepAlive::comment`, `KeepAlive::event` | [`KeepAlive::with_block`](crate::KeepAlive::with_block) | |
//! | `Error::Body(e)` | [`Error::Transport`](crate::Error::Transport) | not boxed; [`BoxError`](crate::BoxError) and `map_transport` box it |
//! | all other errors of decoding | none | |
//!
//! ## What 0.3 changed
//!
//! An upgrade from 0.2 to 0.3 needs changes as well. `Bytes::from(sse)` became `sse.encode()?`. `KeepAlive::event`
//! returns a `Result`. The error of `SseBody` is `BodyError`. Five variants of `Error` are gone, and the enum is
//! non-exhaustive. `from_byte_stream` is gone. An error ends the stream.
//!
//! ## What behaves differently
//!
//! | stream | sse-stream 0.2.4 | sse-stream 0.3.0 | eventwire |
//! |---|---|---|---|
//! | an unknown field, a line without a colon, a second `id` or `event`, `retry: soon` | an error | as in the standard | as in the standard |
//! | after such an error | the rest of the chunk is lost | | |
//! | a value that is not UTF-8 | an error | an error, and the stream ends | U+FFFD |
//! | an ID, for the events after it | not kept | not kept | in each [`event.last_event_id()`](crate::Event::last_event_id), and in [`events.decoder()`](crate::Events::decoder) |
//! | comments | dropped | dropped | [`.blocks()`](crate::Events::blocks) returns them |
//! | a very large event | no limit | no limit | an error above 16 MiB, or your limit |
//! | a line end in data that is written | written unchanged: the text after it is read as a field | a new `data` line | a new `data` line |
//! | a line end in a type that is written | written unchanged | an error when it is encoded | an error when it is set |
//!
//! # Replacing eventsource-client
//!
//! LaunchDarkly's client sends its requests through a transport. eventwire sends them through reqwest, with the crate
//! [`eventwire-reqwest`], or through any other HTTP client, with [a function][eventwire-client] that you write. Before,
//! with 0.17 and 0.18:
//!
#![cfg_attr(not(doctest), doc = include_str!("../docs/before-eventsource-client.md"))]
//!
//! After:
//!
#![cfg_attr(not(doctest), doc = include_str!("../docs/from-eventsource-client.md"))]
//!
//! | eventsource-client 0.18.0 | eventwire | what to know |
//! |---|---|---|
//! | `ClientBuilder::for_url(url)?`, `.header(..)?`, `.basic_auth(..)?`, `.method(..)`, `.body(..)` | the methods of reqwest's request | |
//! | `.build_with_transport(transport)`; until 0.16: `.build()`, `.build_http()`, `.build_with_conn(..)`, `.build_with_http_client(..)` | `request.eventsource()?`; `connector_fn` for another HTTP client | timeouts and TLS are settings of the HTTP client |
//! | `HttpTransport` | `Connector` | |
//! | `client.stream()` | the source is the stream | nothing is sent before it is polled, in both |
//! | `.last_event_id(id)` | `with_last_event_id(id)?` | |
//! | `.dynamic_url(receiver)` | `eventwire_reqwest::from_fn` | the function is called for each attempt |
//! | `.redirect_limit(n)` | `request.with_redirects(n)` | the HTTP client must not follow them: `eventwire_reqwest::client_builder()` |
//! | `ReconnectOptions::reconnect(false)` | [`Resend::Never`] | |
//! | `retry_initial(false)` | [`with_max_first_attempts(1)`] | |
//! | `delay(d)` | [`with_reconnection_time(d)`] | default 3 s instead of 1 s |
//! | `delay_max(d)` | [`with_max_delay(d)`] | default 30 s instead of 60 s |
//! | `backoff_factor(n)` | `Hooks::delay` | the factor is 2 by default, in both |
//! | `SSE::Connected(details)` | `Item::Open(response)` | |
//! | `SSE::Event(event)`, with fields | `Item::Event(event)`, with methods | `last_event_id()` is `""` for none, `retry()` a `Duration` |
//! | `SSE::Comment(text)` | `Item::Comment(comment)` | only after `with_blocks()`; events are then `Item::Block(block)` |
//! | `Err(error)`, if it reconnects | `Item::Reconnecting { error, delay, attempt }` | |
//! | `Err(error)`, if it does not | the stream ends; `into_result()` returns the error | |
//! | `Error::Eof`, `Error::UnexpectedEof` | `ConnectionError::Ended`, `ConnectionError::Truncated` | |
//! | `Error::UnexpectedResponse(response, body)` | `ConnectionError::UnexpectedResponse` with an `UnexpectedResponse` | the beginning of the body has been read |
//! | `Error::TimedOut`, of a transport's `read_timeout` | `ConnectionError::IdleTimeout` | `with_idle_timeout` sets it |
//!
//! ## What behaves differently
//!
//! | situation | eventsource-client 0.18.0 | eventwire |
//! |---|---|---|
//! | an event without an ID, after a reconnection | the last event ID is lost | it is kept |
//! | 200 with another content type | read as an event stream | refused |
//! | 204 | reconnects | ends |
//! | the first connection fails | the stream ends, unless `retry_initial` is set | further attempts follow, up to five in all by default |
//! | a later attempt gets no response | no item | `Item::Reconnecting` |
//! | a later attempt gets 401 | it is tried again | the stream ends, and the `UnexpectedResponse` has the body |
//! | the response to a POST ends | the POST is sent again | it is not, unless [`Resend`] allows it |
//! | 503 with `Retry-After: 30` | reconnects within seconds | waits for 30 seconds or a little more |
//! | `retry` in a block without data | lost | sets the reconnection time |
//! | a field named `comment` | returned as a comment | ignored |
//! | `: text` | the comment `" text"` | the comment `"text"` |
//! | a value that is not UTF-8 | an error; reconnects, and loses what followed | U+FFFD |
//! | the connection ends inside an event | `Eof`, if its last line is complete | `ConnectionError::Truncated` |
//! | redirects | follows 301 and 307; 302, 303 and 308 are errors | follows all five, or lets the HTTP client follow them |
//!
//! # Replacing axum's `Sse`
//!
//! The stream of events stays. [`EventBody`](crate::EventBody), of feature `http-body`, replaces `Sse`, and works with
//! any server that takes an `http_body::Body`. Before:
//!
#![cfg_attr(not(doctest), doc = include_str!("../docs/before-axum-sse.md"))]
//!
//! After:
//!
#![cfg_attr(not(doctest), doc = include_str!("../docs/from-axum-sse.md"))]
//!
//! | axum 0.8 | eventwire | what to know |
//! |---|---|---|
//! | `Sse::new(stream)` | `EventBody::new(stream).response()` | the items may be events, or `Result`s; the response also has `x-accel-buffering: no` and `no-transform`, so that proxies do not delay events |
//! | `.keep_alive(KeepAlive::default())` | `.with_keep_alive(Duration::from_secs(15), TokioTimer)` | any [`Timer`](crate::Timer); another block by [`KeepAlive::with_block`](crate::KeepAlive::with_block) |
//! | `Event::default().data(text)` | [`Event::new(text)`](crate::Event::new) | |
//! | `.event(name)`, `.id(id)` | [`with_event_type`](crate::Event::with_event_type), [`with_id`](crate::Event::with_id) | an invalid text is an [`InvalidField`](crate::InvalidField); in axum it panics |
//! | `.json_data(&value)` | [`with_json`](crate::Event::with_json), or [`encoded_json`](crate::Event::encoded_json), which copies less | |
//! | `.retry(time)` | [`with_retry`](crate::Event::with_retry) | |
//! | `.comment(text)` | [`Comment`](crate::Comment), an item of its own | |
//!
//! # A whole dependency tree
//!
//! Your dependencies may use eventsource-stream, as async-openai does. You can make them use eventwire by replacing the
//! package eventsource-stream in your workspace. Save the source [below](#the-source-of-the-replacement) as
//! `eventsource-stream/src/lib.rs`, and this as `eventsource-stream/Cargo.toml`:
//!
//! ```toml
//! [package]
//! name = "eventsource-stream"
//! version = "0.2.3"
//! edition = "2024"
//!
//! [features]
//! default = ["std"]
//! std = ["eventwire/std"]
//!
//! [dependencies]
//! bytes = { version = "1.11", default-features = false }
//! eventwire = { version = "0.1", default-features = false }
//! futures-core = { version = "0.3.31", default-features = false }
//! # For the type of an error.
//! nom = { version = "7.1", default-features = false, features = ["alloc"] }
//! pin-project-lite = "0.2.16"
//! ```
//!
//! Then add three lines to the `Cargo.toml` of the workspace:
//!
//! ```toml
//! [patch.crates-io]
//! # Server-sent events by eventwire, for all dependencies.
//! eventsource-stream = { path = "eventsource-stream" }
//! ```
//!
//! `cargo tree --invert eventsource-stream` shows which crates use it. Those crates then handle the streams on which
//! the original [fails](#what-behaves-differently): the tests check this with async-openai 0.43.0. The replacement
//! passes all 304 [fixtures], and the original 249.
//!
//! [fixtures]: https://github.com/eventwire/eventwire/tree/main/tests/fixtures
//! [`Item::Open`]: https://docs.rs/eventwire-client/latest/eventwire_client/#the-items
//! [`ReconnectPolicy`]: https://docs.rs/eventwire-client/latest/eventwire_client/struct.ReconnectPolicy.html
//! [`Resend::Never`]: https://docs.rs/eventwire-client/latest/eventwire_client/enum.Resend.html#variant.Never
//! [`Resend`]: https://docs.rs/eventwire-client/latest/eventwire_client/enum.Resend.html
//! [`StopReason::InvalidLastEventId`]: https://docs.rs/eventwire-client/latest/eventwire_client/enum.StopReason.html#variant.InvalidLastEventId
//! [`Verdict`]: https://docs.rs/eventwire-client/latest/eventwire_client/enum.Verdict.html
//! [`open`]: https://docs.rs/eventwire-client/latest/eventwire_client/fn.open.html
//! [`with_check`]: https://docs.rs/eventwire-client/latest/eventwire_client/struct.Opening.html#method.with_check
//! [`with_max_attempts`]: https://docs.rs/eventwire-client/latest/eventwire_client/struct.ReconnectPolicy.html#method.with_max_attempts
//! [`with_max_delay(d)`]: https://docs.rs/eventwire-client/latest/eventwire_client/struct.ReconnectPolicy.html#method.with_max_delay
//! [`with_max_first_attempts(1)`]: https://docs.rs/eventwire-client/latest/eventwire_client/struct.ReconnectPolicy.html#method.with_max_first_attempts
//! [`with_reconnection_time(d)`]: https://docs.rs/eventwire-client/latest/eventwire_client/struct.ReconnectPolicy.html#method.with_reconnection_time
//! [eventwire-client]: https://docs.rs/eventwire-client/latest/eventwire_client/
//! [the-delays]: https://docs.rs/eventwire-client/latest/eventwire_client/#the-delays
//!
//! In the replacement, invalid UTF-8 becomes U+FFFD. An event above 16 MiB is an `EventStreamError::Parser`, and the
//! events after it follow. A `retry` in a block without data is still lost, because only an event has a field for it.
//!
//! ## reqwest-eventsource in a tree
//!
//! If `cargo tree --invert reqwest-eventsource` shows a crate, replace that package too, which also changes what is in
//! [its table](#what-behaves-differently-1). Save [the file](#the-source-of-the-file) as
//! `reqwest-eventsource/src/lib.rs`, and write this line in place of its `struct MessageEvent`, because crates such as
//! async-openai 0.35.0 use it and eventsource-stream's type as one:
//!
//! ```ignore
//! pub use eventsource_stream::Event as MessageEvent;
//! ```
//!
//! Save this as `reqwest-eventsource/Cargo.toml`:
//!
//! ```toml
//! [package]
//! name = "reqwest-eventsource"
//! version = "0.6.0"
//! edition = "2021"
//!
//! [dependencies]
//! bytes = "1.11"
//! eventsource-stream = "0.2.3"
//! eventwire = { version = "0.1", features = ["http-body"] }
//! futures-core = "0.3.31"
//! reqwest = { version = "0.12", default-features = false }
//! tokio = { version = "1.36", default-features = false, features = ["time"] }
//! ```
//!
//! Then add a line under `[patch.crates-io]`:
//!
//! ```toml
//! reqwest-eventsource = { path = "reqwest-eventsource" }
//! ```
//!
//! ## The source of the replacement
//!
//! <details><summary><code>eventsource-stream/src/lib.rs</code></summary>
//!
#![cfg_attr(not(doctest), doc = concat!("```ignore\n", include_str!("../docs/eventsource-stream-shim.rs"), "```"))]
//!
//! </details>
