//! Why a connection is no more.

use super::Refusal;
use alloc::boxed::Box;
use core::time::Duration;

/// Why a connection could not be made, or is no more; `E` is the connector's error.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConnectionError<E> {
    /// The connector has failed, or the body that it brought.
    #[error("the connection failed")]
    Transport(#[source] E),
    /// The body has come to its end.
    #[error("the connection ended")]
    Ended,
    /// The response is no event stream.
    #[error(transparent)]
    Refused(Box<Refusal>),
    /// There was not a byte for so long.
    #[error("there was not a byte for {0:?}")]
    IdleTimeout(Duration),
    /// There was no event for so long, though there may have been comments.
    #[error("there was no event for {0:?}")]
    EventTimeout(Duration),
}
