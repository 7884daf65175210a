//! The items of an event source.

use crate::event_source::connection_error::ConnectionError;
use alloc::boxed::Box;
use core::time::Duration;
use eventwire::{Block, Comment, DecodeError, Event};
use http::Response;

/// An item of an [`EventSource`](crate::EventSource): a connection that opened, an event, or a reconnect. `E` is the
/// connector's error.
///
/// A source returns events, or with [`with_blocks`](crate::EventSource::with_blocks) blocks and comments.
#[derive(Debug)]
#[non_exhaustive]
pub enum Item<E> {
    /// A connection is open. The value is the head of its response: status, headers, version and extensions.
    ///
    /// It is boxed, because a response is much larger than an event.
    Open(Box<Response<()>>),
    /// An event.
    Event(Event),
    /// A block, with or without data. If it has data, [`Block::event`] returns the event.
    Block(Block),
    /// A comment, such as `: ping`.
    Comment(Comment),
    /// An event or a comment could not be decoded. What follows depends on the error:
    ///
    /// * It is too large: the connection stays open, and
    ///   events can follow.
    /// * [`DecodeError::Truncated`], with [`Eof::Error`](eventwire::Eof::Error): the body has ended inside an
    ///   event. The source reconnects or stops, as after any end of a body.
    /// * The decoder [has ended](eventwire::Position::Ended), with
    ///   [`Utf8Policy::Stop`](eventwire::Utf8Policy::Stop): the source stops with
    ///   [`StopReason::Permanent`](crate::StopReason::Permanent), because the body is not an event stream in UTF-8, and
    ///   another connection would not change that.
    Undecodable(DecodeError),
    /// The connection could not be made, or it ended. Another attempt follows.
    #[non_exhaustive]
    Reconnecting {
        /// Why the connection could not be made or ended.
        error: ConnectionError<E>,
        /// The delay before the next attempt.
        delay: Duration,
        /// The number of the next attempt. The first request is attempt 1, so its first retry is 2. After progress,
        /// the next attempt is 1 again.
        attempt: u32,
    },
}
