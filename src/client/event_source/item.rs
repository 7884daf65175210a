//! What an event source gives.

use super::{ConnectionError, Head};
use crate::{decoder::DecodeError, event::Event};
use core::time::Duration;

/// An item of an [`EventSource`](super::EventSource), of a connector whose error is `E`.
#[derive(Debug)]
#[non_exhaustive]
pub enum Item<E> {
    /// There is a connection: this is the head of its response.
    Open(Head),
    /// An event.
    Event(Event),
    /// An event that could not be decoded, such as one that is too large. The connection stays, and its events go on.
    Undecodable(DecodeError),
    /// The connection could not be made, or is no more. It is made again.
    Reconnecting {
        /// Why.
        error: ConnectionError<E>,
        /// The delay before that.
        delay: Duration,
        /// Which attempt in a row without an event comes then, from 1.
        attempt: u32,
    },
}
