//! What may go wrong in reading events.

use crate::decoder::DecodeError;
use alloc::boxed::Box;

/// Why an item of [`Events`](super::Events) or [`EventStream`](super::EventStream) is not an event.
///
/// It prints what it holds, and has the [`source`](core::error::Error::source) of what it holds, so that neither
/// [`to_string`](alloc::string::ToString::to_string) nor a printed chain of sources loses or repeats anything. To get at the
/// transport's error itself, match:
///
/// ```
/// use eventwire::{Error, Events};
/// use std::io;
///
/// let chunks = [Ok("data: 1\n\ndata: 2"), Err(io::Error::other("connection reset"))];
/// let mut events = Events::new(chunks.into_iter());
/// assert_eq!(events.next().unwrap()?.data(), "1"); // what came before the error is not lost
/// match events.next().unwrap() {
///     Err(Error::Transport(io)) => assert_eq!(io.kind(), io::ErrorKind::Other),
///     other => panic!("{other:?}"),
/// }
/// assert!(events.next().is_none());
/// # Ok::<(), Error<io::Error>>(())
/// ```
///
/// It is a [`core::error::Error`] if `E` is one. `Box<dyn Error>` is not; [`into_boxed`](Error::into_boxed) is for that.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error<E> {
    /// The source of the chunks failed with this error. Whether it continues after that is up to the source.
    #[error(transparent)]
    Transport(E),
    /// The decoder reported this. The events after it follow as usual.
    #[error(transparent)]
    Decode(#[from] DecodeError),
}

impl<E> Error<E> {
    /// Changes the transport's error, for example to add to it, or to make errors of two transports one type.
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

    /// The error in a box, for a transport whose error is `Box<dyn Error + Send + Sync>` itself, or converts into it.
    ///
    /// `?` converts only what is a [`core::error::Error`], which `Box<dyn Error + Send + Sync>` is not.
    ///
    /// ```
    /// use eventwire::{Error, Events};
    ///
    /// type BoxError = Box<dyn std::error::Error + Send + Sync>;
    ///
    /// fn read(chunks: impl Iterator<Item = Result<String, BoxError>>) -> Result<usize, BoxError> {
    ///     let mut count = 0;
    ///     for event in Events::new(chunks) {
    ///         let event = event.map_err(Error::into_boxed)?;
    ///         count += event.data().len();
    ///     }
    ///     Ok(count)
    /// }
    ///
    /// assert_eq!(read([Ok("data: abc\n\n".to_owned())].into_iter()).unwrap(), 3);
    /// assert_eq!(read([Err("connection reset".into())].into_iter()).unwrap_err().to_string(), "connection reset");
    /// ```
    #[must_use]
    pub fn into_boxed(self) -> Box<dyn core::error::Error + Send + Sync>
    where
        E: Into<Box<dyn core::error::Error + Send + Sync>>,
    {
        match self {
            Error::Transport(error) => error.into(),
            Error::Decode(error) => error.into(),
        }
    }
}
