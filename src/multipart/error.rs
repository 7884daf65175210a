//! What may go wrong in reading parts.

use super::DecodeError;
use alloc::boxed::Box;

/// Why a part, or a piece of one, cannot be had.
///
/// It prints what it holds, and has the [`source`](core::error::Error::source) of what it holds. It is a [`core::error::Error`] if `E` is one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error<E> {
    /// The source of the chunks failed with this error. Whether it continues after that is up to the source.
    #[error(transparent)]
    Transport(E),
    /// The decoder reported this. Its [kind](super::DecodeErrorKind) says what follows.
    #[error(transparent)]
    Decode(#[from] DecodeError),
    /// The body of a part that was to be collected is larger than the limit. The part is left out, and the next one follows as
    /// usual.
    #[error("the body of part {part} is larger than {limit} bytes")]
    #[non_exhaustive]
    PartTooLarge {
        /// The limit in bytes.
        limit: usize,
        /// The number of the part, counted from 1.
        part: u64,
    },
}

impl<E> Error<E> {
    /// Changes the transport's error, for example to add to it, or to make errors of two transports one type.
    #[must_use]
    pub fn map_transport<F>(self, map: impl FnOnce(E) -> F) -> Error<F> {
        match self {
            Error::Transport(error) => Error::Transport(map(error)),
            Error::Decode(error) => Error::Decode(error),
            Error::PartTooLarge { limit, part } => Error::PartTooLarge { limit, part },
        }
    }

    /// The error in a box, for a transport whose error is `Box<dyn Error + Send + Sync>` itself, or converts into it.
    #[must_use]
    pub fn into_boxed(self) -> Box<dyn core::error::Error + Send + Sync>
    where
        E: Into<Box<dyn core::error::Error + Send + Sync>>,
    {
        match self {
            Error::Transport(error) => error.into(),
            Error::Decode(error) => error.into(),
            Error::PartTooLarge { limit, part } => {
                Error::<core::convert::Infallible>::PartTooLarge { limit, part }.into()
            }
        }
    }
}
