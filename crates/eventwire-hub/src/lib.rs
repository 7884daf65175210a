//! One event stream (Server-Sent Events) for thousands of readers, who can leave, return, and continue where they were.
//!
//! # The first channel
//!
//! ```sh
//! cargo add anyhow axum eventwire-hub
//! cargo add eventwire --features http-body,tokio
//! cargo add tokio --features macros,net,rt-multi-thread,time
//! ```
//!
//! A [`Channel`] is one stream. It is shared by the handlers that subscribe readers and by the code that sends. This is
//! a complete server with axum, for any number of browsers:
//!
#![cfg_attr(not(doctest), doc = concat!("```rust\n", include_str!("../docs/server.rs"), "```"))]
//!
//! Read the stream, interrupt it, and return with the last ID that was printed:
//!
//! ```sh
//! curl -N localhost:3000/seconds
//! curl -N localhost:3000/seconds -H 'Last-Event-ID: 9f86d081884c7d65-3'
//! ```
//!
//! A browser does that by itself, when its connection breaks:
//!
//! ```js
//! const seconds = new EventSource("/seconds")
//! seconds.onmessage = ({ data }) => console.log(data)
//! seconds.addEventListener("gap", ({ data }) => console.log("gap", data)) // {"missed":17}
//! ```
//!
//! The channel numbers its events and keeps the last ones ([`History`]), so a new response begins with what the reader
//! has missed. If that is no longer kept, it begins with an event `gap`, which has the number of missing events.
//!
//! # The guarantee
//!
//! **No silent hole.** A reader gets every event after its position, once and in order, or exactly one gap event at the
//! place where something is missing.
//!
//! This holds for readers that reconnect, with any ID; for readers that are too slow; and when the server restarts,
//! because a new channel has another [epoch](StreamPosition). The guarantee is about what a reader receives: an event
//! that was sent, but lost with its connection, is sent again, because the reader then returns with the ID of the event
//! before it. If more is lost after a gap event, and before the next event, a second gap event says so.
//!
//! It begins as soon as the reader has a position: when the first block of its first response has arrived. A page that
//! must miss nothing from the start sends a [position](Channel::position) with its first request.
//!
//! Tests compare a channel with a plain twin that searches everything that was ever sent, step by step for thousands of
//! random runs. They check the orders in which threads can run it, where these are too many with at most two to four
//! interruptions. And they count what 100 clients get through a relay that kills their connections 2,000 times.
//!
//! Also:
//!
//! * An event is encoded once. All readers share its bytes, and reading it allocates nothing.
//! * A reader is a position, not a queue: a [`Subscription`] needs at most 256 bytes. A slow reader delays neither the
//!   sender nor another reader. (Sending takes time for each reader that waits, because it is woken.)
//! * A burst of events wakes a reader once. No lock is held while tasks are woken.
//! * Channels have no task, no clock and no runtime: the readers are polled by the server. (A [`Hub`] uses tokio.)
//!   There is no `unsafe`.
//!
//! # Where to go from here
//!
//! | you need | use |
//! |---|---|
//! | to know what a reader gets, for each ID that it may send | the table of [`Channel::subscribe`] |
//! | new readers to get what is kept, not only what comes | [`Resume::or_earliest`]; [the last few](serving_many#the-last-events-for-a-new-reader) |
//! | each reader to get only some of the events | [a filter](serving_many#a-filter-for-each-reader) |
//! | short-lived information, such as a typing indicator | [`Channel::send_transient`] |
//! | the end of a stream, after which readers do not return | [`Channel::finish`] |
//! | several streams in one response | [`Merged`] |
//! | a page that shows the current state, and then every change | [a recipe](https://docs.rs/eventwire/latest/eventwire/recipes/servers/#a-page-that-shows-a-snapshot) |
//! | a custom gap event, or to disconnect slow readers | [`Subscription`] |
//! | metrics, sizes, slow clients, authorisation | [Serving many](serving_many) |
//! | events that outlive the process, or several processes | [`Hub`] with a log: [Which log?](which_log); [Serving many](serving_many#more-than-one-process) |
//! | an answer of a model that goes on without its reader, in any process | [a recipe](https://docs.rs/eventwire/latest/eventwire/recipes/servers/#an-answer-that-goes-on-without-its-readers) |
//! | to test what a handler sends | the crate [eventwire-lint](https://docs.rs/eventwire-lint/latest/eventwire_lint/#a-test-of-a-handler) |
//! | another engine than SQLite, Postgres and Redis | [`Log`]; about [NATS](nats) |
//!
//! # Features
//!
//! * **`tracing`** writes what goes wrong between a hub and its log.

mod audience;
mod backoff;
mod blocks;
mod channel;
mod cursor;
mod follower;
mod gap;
mod history;
mod hub;
mod log;
mod memory;
mod merged;
#[cfg(any(doc, doctest))]
pub mod nats;
mod notices;
mod numbered_event;
mod pages;
mod random;
mod reader;
mod record;
mod resume;
mod ring;
#[cfg(any(doc, doctest))]
pub mod serving_many;
mod shared;
mod source;
mod stats;
mod stream_position;
mod subscription;
mod sync;
mod topic;
mod topics;
mod up_to_date;
mod waiting;
mod watchers;
#[cfg(any(doc, doctest))]
pub mod which_log;

pub use crate::{
    channel::{AppendError, Channel, SendError},
    gap::{Gap, Lag},
    history::History,
    hub::{Hub, HubError, Unknown},
    log::{Entry, Limit, Log, Page, Wake},
    memory::Memory,
    merged::{MergeError, Merged},
    reader::Reader,
    resume::Resume,
    source::Source,
    stats::Stats,
    stream_position::{InvalidPosition, StreamPosition},
    subscription::Subscription,
    topic::{InvalidTopic, Topic},
    up_to_date::UpToDate,
};

/// For the logs of this repository only. Their older releases may be combined with this one, so it does not change without
/// a new version that cargo does not combine with them.
#[doc(hidden)]
pub mod internal {
    pub use crate::watchers::Watchers;
}
