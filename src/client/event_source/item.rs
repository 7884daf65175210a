//! What an event source gives.

use super::ConnectionError;
use crate::{Comment, DecodeError, Event, EventId, EventType};
use alloc::boxed::Box;
use core::time::Duration;
use http::Response;

/// An item of an [`EventSource`](super::EventSource); `E` is the connector's error.
#[derive(Debug)]
#[non_exhaustive]
pub enum Item<E> {
    /// A connection is open. This is the head of its response: status, headers, version and extensions.
    ///
    /// Boxed, so that an event is not as large as a response.
    Open(Box<Response<()>>),
    /// An event.
    Event(Event),
    /// A comment, such as `: ping`. It comes only [if it is asked for](super::EventSource::with_blocks), like the three that follow.
    Comment(Comment),
    /// A reconnection time without an event; see [`Block::Retry`](crate::Block::Retry).
    Retry(Duration),
    /// An ID without an event; see [`Block::Id`](crate::Block::Id).
    Id(EventId),
    /// A type without data; see [`Block::Dataless`](crate::Block::Dataless).
    Dataless(EventType),
    /// An event, or a comment, that could not be decoded, such as one that is too large. The connection stays open, and its events go on.
    Undecodable(DecodeError),
    /// The connection could not be made, or it ended. Another attempt follows.
    #[non_exhaustive]
    Reconnecting {
        /// Why.
        error: ConnectionError<E>,
        /// The delay before the attempt.
        delay: Duration,
        /// The number of the attempt since the last progress, from 1.
        attempt: u32,
    },
}
