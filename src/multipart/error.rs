//! Errors of reading parts.

use super::DecodeError;
use alloc::boxed::Box;

/// Why reading a part, or a piece of one, failed.
///
/// The first two variants print as the error that they hold, and have its [`source`](core::error::Error::source). It is a
/// [`core::error::Error`] if `E` is one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error<E> {
    /// The source of the chunks failed with this error. The next call asks the source again; most sources have ended then.
    #[error(transparent)]
    Transport(E),
    /// The stream is invalid, or exceeds a limit. The [kind](super::DecodeErrorKind) says whether reading continues.
    #[error(transparent)]
    Decode(#[from] DecodeError),
    /// The body of a collected part is larger than the limit. The part is skipped, and reading continues with the next one.
    #[error("the body of part {part} is larger than the limit of {limit} bytes")]
    #[non_exhaustive]
    PartTooLarge {
        /// The limit in bytes.
        limit: usize,
        /// The number of the part, counted from 1.
        part: u64,
    },
    /// The stream ended before this part was complete, and the part was asked for as a whole.
    #[error("part {part} was cut off: the stream ended before it was complete")]
    #[non_exhaustive]
    CutOff {
        /// The number of the part, counted from 1.
        part: u64,
    },
}

impl<E> Error<E> {
    /// Maps the transport's error, for example to add context, or to give two transports one error type.
    #[must_use]
    pub fn map_transport<F>(self, map: impl FnOnce(E) -> F) -> Error<F> {
        match self {
            Error::Transport(error) => Error::Transport(map(error)),
            Error::Decode(error) => Error::Decode(error),
            Error::PartTooLarge { limit, part } => Error::PartTooLarge { limit, part },
            Error::CutOff { part } => Error::CutOff { part },
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
            Error::CutOff { part } => Error::<core::convert::Infallible>::CutOff { part }.into(),
        }
    }
}
