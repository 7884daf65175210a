//! What may go wrong in reading events.

use crate::decoder::DecodeError;

/// Why an adapter's item is not an event.
///
/// A transport error is the [`source`](core::error::Error::source) of this one, whose own text does not repeat it: print the
/// chain. It is a [`core::error::Error`] if `E` is one, which `Box<dyn Error>` is not; match on
/// [`Transport`](Error::Transport) for that.
///
/// ```
/// use eventwire::{Error, Events};
/// use std::io;
///
/// let chunks = [Ok("data: 1\n\ndata: 2"), Err(io::Error::other("connection reset"))];
/// let mut events = Events::new(chunks.into_iter());
/// assert_eq!(events.next().unwrap()?.data(), "1"); // what came before the error is not lost
/// let error = events.next().unwrap().unwrap_err();
/// assert!(matches!(&error, Error::Transport(source) if source.to_string() == "connection reset"));
/// assert!(events.next().is_none());
/// # Ok::<(), Error<io::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error<E> {
    /// The source of the chunks has failed, with this error. Whether it goes on after that is for the source to say.
    #[error("the event stream's source failed")]
    Transport(#[source] E),
    /// The decoder reported this. The events after it come out as ever.
    #[error(transparent)]
    Decode(#[from] DecodeError),
}
