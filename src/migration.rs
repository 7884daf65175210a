//! How to move over from eventsource-stream and reqwest-eventsource. Documentation only: this module has no items.
//!
//! # From eventsource-stream
//!
//! `response.bytes_stream().eventsource()` stays as it is; what changes is the import, and that an event's parts are
//! methods.
//!
//! ```
//! # futures_util::FutureExt::now_or_never(async {
//! # let bytes_stream = futures_util::stream::iter([Ok::<_, std::convert::Infallible>("id: 1\ndata: hello\n\n")]);
//! use eventwire::Eventsource; // was: use eventsource_stream::Eventsource;
//! use futures_util::StreamExt;
//!
//! let mut events = bytes_stream.eventsource();
//! while let Some(event) = events.next().await {
//!     let event = event?;
//!     assert_eq!(event.event_type(), "message"); // was: event.event
//!     assert_eq!(event.data(), "hello"); // was: event.data
//!     assert_eq!(event.id(), "1"); // was: event.id
//! }
//! # Ok::<(), eventwire::Error<std::convert::Infallible>>(())
//! # }).unwrap().unwrap();
//! ```
//!
//! | eventsource-stream 0.2 | here | to know |
//! |---|---|---|
//! | `Eventsource` | [`Eventsource`](crate::Eventsource) | the same method |
//! | `EventStream::new(stream)` | [`EventStream::new`](crate::EventStream::new) | chunks are `Into<Bytes>`, not `AsRef<[u8]>`: `Bytes`, `Vec<u8>`, `String`, `&'static [u8]`; a borrowed chunk needs `Bytes::copy_from_slice` |
//! | `stream.set_last_event_id(id)` | [`Decoder::with_last_event_id`](crate::Decoder::with_last_event_id), given to [`with_decoder`](crate::EventStream::with_decoder) | it stays until the stream sets another; there it is lost at the first event without an ID |
//! | `stream.last_event_id()` | [`last_event_id`](crate::EventStream::last_event_id) | a block with an ID and no data counts too, as the standard says |
//! | `event.event: String` | [`event.event_type()`](crate::Event::event_type) | `"message"` where the stream named none, in both |
//! | `event.data: String` | [`event.data()`](crate::Event::data), [`event.into_data()`](crate::Event::into_data) | a [`ByteString`](crate::ByteString), which `String::from` takes |
//! | `event.id: String` | [`event.id()`](crate::Event::id) | |
//! | `event.retry: Option<Duration>` | [`event.retry()`](crate::Event::retry) | `+5` is no number; a `retry` without an event is in [`reconnection_time`](crate::EventStream::reconnection_time) |
//! | `Event { .. }`, `Event::default()` | [`Event::new`](crate::Event::new) and its builders | |
//! | `EventStreamError::Transport(e)` | [`Error::Transport`](crate::Error::Transport) | it prints the cause |
//! | `EventStreamError::Utf8(e)` | none | invalid UTF-8 becomes U+FFFD, as in a browser |
//! | `EventStreamError::Parser(e)` | none | there is no malformed stream |
//! | no limit | [`Error::Decode`](crate::Error::Decode) with [`EventTooLarge`](crate::DecodeError::EventTooLarge) | beyond 16 MiB an event, unless [set](crate::Decoder::with_max_event_size) |
//!
//! What else is different, since there it is not as the standard says: a byte order mark at the start is dropped, where there it
//! is a panic; an event is out at the CR that completes it; a line is not scanned again for each chunk that it comes in.
//!
//! # From reqwest-eventsource
//!
//! `client.get(url).eventsource()?` stays as it is, with the crate `eventwire-reqwest`. The import changes, and items say more.
//!
#![cfg_attr(not(doctest), doc = include_str!("../docs/from-reqwest-eventsource.md"))]
//!
//! | reqwest-eventsource 0.6 | here | to know |
//! |---|---|---|
//! | `EventSource::new(builder)?`, `builder.eventsource()?` | `builder.eventsource()?`, in the crate `eventwire-reqwest` | the error says what is wrong with the request |
//! | `EventSource::get(url)` | `client.get(url).eventsource()?` | one client for many sources shares its connections |
//! | an `Err` item | `Item::Reconnecting` where it is tried again; otherwise the stream ends, and `into_result()` returns the error | `events()` gives the events alone, and a failure at the end as an `Err` |
//! | `Error::StreamEnded` | `ConnectionError::Ended` | it is not fatal, as in a browser |
//! | `Error::InvalidStatusCode`, `Error::InvalidContentType` | `Refusal` | with the status, the headers and the beginning of the body; 429 and some 5xx are tried again |
//! | `set_retry_policy(..)` | [`ReconnectPolicy`](crate::client::ReconnectPolicy), given to `with_policy` | with jitter, a limit on attempts that a mere 200 does not reset, and `Retry-After` |
//! | a POST that is sent again when it ends | only if it was certainly not carried out | [`Resend::Always`](crate::client::Resend::Always) restores the old behaviour |
//! | `last_event_id()`, `ready_state()`, `close()` | the same | an ID can be set to begin with, too |
