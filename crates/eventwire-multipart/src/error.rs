//! The error of the adapters that read parts.

use super::PartDecodeError;

/// The error of [`Parts`](super::Parts) and the other adapters: the source's, the decoder's, or a part that cannot
/// be collected.
///
/// The first two variants print the error they contain, and return its [`source`](core::error::Error::source). This
/// type implements [`core::error::Error`] if `E` does.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error<E> {
    /// The source of the chunks failed with this error. The next call reads from the source again; most sources
    /// have ended by then.
    #[error(transparent)]
    Transport(E),
    /// The stream is invalid or exceeds a limit. The [kind](super::PartDecodeErrorKind) determines whether reading
    /// continues.
    #[error(transparent)]
    Decode(#[from] PartDecodeError),
    /// The body of a collected part is larger than the limit. The part is skipped, and reading continues with the
    /// next one.
    #[error("the body of part {part} is larger than the limit of {limit} bytes")]
    #[non_exhaustive]
    PartTooLarge {
        /// The limit in bytes.
        limit: usize,
        /// The number of the part, counted from 1.
        part: u64,
    },
    /// The part is truncated: the stream, or a delimiter, ended it before its `Content-Length` was reached, or the
    /// stream ended before its delimiter. After a delimiter, reading continues with the next part.
    #[error("part {part} is truncated: it ended before its delimiter")]
    #[non_exhaustive]
    Truncated {
        /// The number of the part, counted from 1.
        part: u64,
    },
}

impl<E> Error<E> {
    /// Maps the source's error, for example to add context, or to convert the errors of two sources to one type.
    #[must_use]
    pub fn map_transport<F>(self, map: impl FnOnce(E) -> F) -> Error<F> {
        match self {
            Error::Transport(error) => Error::Transport(map(error)),
            Error::Decode(error) => Error::Decode(error),
            Error::PartTooLarge { limit, part } => Error::PartTooLarge { limit, part },
            Error::Truncated { part } => Error::Truncated { part },
        }
    }
}
