//! The error of the adapters.

use crate::decoder::DecodeError;

/// The error of [`Events`](super::Events) and [`Blocks`](super::Blocks): the source's, or the decoder's.
///
/// Its message and its [`source`](core::error::Error::source) are those of the error that it contains, so a printed
/// chain of errors neither omits nor repeats an error. To get the contained error, use `match`:
///
/// ```
/// use eventwire::{Error, Events};
/// use std::io;
///
/// let chunks = [Ok("data: 1\n\ndata: 2"), Err(io::Error::other("connection reset"))];
/// let mut events = Events::new(chunks.into_iter());
/// assert_eq!(events.next().unwrap()?.data(), "1"); // an event before the error is not lost
/// match events.next().unwrap() {
///     Err(Error::Transport(io)) => assert_eq!(io.kind(), io::ErrorKind::Other),
///     other => panic!("{other:?}"),
/// }
/// assert!(events.next().is_none());
/// # Ok::<(), Error<io::Error>>(())
/// ```
///
/// It implements [`core::error::Error`] if `E` does. A `Box<dyn Error>` does not implement that trait; if `E` is one,
/// use [`map_transport(BoxError::from)`](crate::BoxError).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error<E> {
    /// The transport failed with this error: the source of the chunks, such as an HTTP body. Whether more items
    /// follow depends on the source.
    #[error(transparent)]
    Transport(E),
    /// The decoder reported this error, for example because an event is larger than the limit. Decoding continues
    /// with the next event.
    #[error(transparent)]
    Decode(#[from] DecodeError),
}

impl<E> Error<E> {
    /// Converts the transport's error, for example to add context or to use one error type for two transports.
    ///
    /// ```
    /// use eventwire::{Error, Events};
    /// use std::io;
    ///
    /// let chunks = [Err::<&str, _>(io::Error::other("connection reset"))];
    /// let error = Events::new(chunks.into_iter()).next().unwrap().unwrap_err();
    /// let error = error.map_transport(|io| format!("upstream: {io}"));
    /// assert_eq!(error, Error::Transport("upstream: connection reset".to_owned()));
    /// ```
    #[must_use]
    pub fn map_transport<F>(self, map: impl FnOnce(E) -> F) -> Error<F> {
        match self {
            Error::Transport(error) => Error::Transport(map(error)),
            Error::Decode(error) => Error::Decode(error),
        }
    }
}
