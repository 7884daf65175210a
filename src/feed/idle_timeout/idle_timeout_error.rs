//! The error of a stream with an idle timeout.

use alloc::boxed::Box;
use core::{convert::Infallible, fmt, time::Duration};

/// The error of [`IdleTimeout`](super::IdleTimeout): the timeout, or the source's error `E`.
///
/// [`Source`](IdleTimeoutError::Source) has the message and the [`source`](core::error::Error::source) of the error
/// inside, so a printed chain of errors neither loses nor repeats anything.
///
/// An event stream with a timeout returns it inside [`Error::Transport`](crate::Error::Transport):
///
/// ```
/// use eventwire::{Error, IdleTimeoutError};
/// use std::{io, time::Duration};
///
/// fn is_worth_a_retry(error: &Error<IdleTimeoutError<io::Error>>) -> bool {
///     match error {
///         Error::Transport(IdleTimeoutError::Idle(_)) => true,
///         Error::Transport(IdleTimeoutError::Source(io)) => io.kind() == io::ErrorKind::ConnectionReset,
///         _ => false,
///     }
/// }
///
/// let error = Error::Transport(IdleTimeoutError::Idle(Duration::from_secs(30)));
/// assert_eq!(error.to_string(), "no data received for 30s");
/// assert!(is_worth_a_retry(&error));
/// ```
///
/// It implements [`core::error::Error`] if `E` does. `Box<dyn Error>` does not; for that, use
/// [`into_boxed`](IdleTimeoutError::into_boxed).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IdleTimeoutError<E> {
    /// No data was received for this long.
    #[error("no data received for {}", Rounded(*.0))]
    Idle(Duration),
    /// The source of the chunks failed with this error.
    #[error(transparent)]
    Source(E),
}

impl<E> IdleTimeoutError<E> {
    /// Converts the source's error, for example to use one error type for two sources.
    ///
    /// ```
    /// use eventwire::IdleTimeoutError;
    ///
    /// let error = IdleTimeoutError::Source(std::io::Error::other("connection reset"));
    /// let error = error.map_source(|io| format!("upstream: {io}"));
    /// assert_eq!(error, IdleTimeoutError::Source("upstream: connection reset".to_owned()));
    /// ```
    #[must_use]
    pub fn map_source<F>(self, map: impl FnOnce(E) -> F) -> IdleTimeoutError<F> {
        match self {
            IdleTimeoutError::Idle(duration) => IdleTimeoutError::Idle(duration),
            IdleTimeoutError::Source(error) => IdleTimeoutError::Source(map(error)),
        }
    }

    /// Puts the error into a box, if the source's error is a `Box<dyn Error + Send + Sync>` or converts into one.
    ///
    /// A timeout can be downcast to `IdleTimeoutError<Infallible>`, and the source's error to its own type. For an
    /// error of an event stream, call `error.map_transport(IdleTimeoutError::into_boxed).into_boxed()`.
    ///
    /// ```
    /// use eventwire::IdleTimeoutError;
    /// use std::{convert::Infallible, time::Duration};
    ///
    /// type BoxError = Box<dyn std::error::Error + Send + Sync>;
    ///
    /// let timeout: BoxError = IdleTimeoutError::<BoxError>::Idle(Duration::from_secs(30)).into_boxed();
    /// assert!(timeout.is::<IdleTimeoutError<Infallible>>());
    /// let reset: BoxError = IdleTimeoutError::<BoxError>::Source("connection reset".into()).into_boxed();
    /// assert_eq!(reset.to_string(), "connection reset");
    /// ```
    #[must_use]
    pub fn into_boxed(self) -> Box<dyn core::error::Error + Send + Sync>
    where
        E: Into<Box<dyn core::error::Error + Send + Sync>>,
    {
        match self {
            IdleTimeoutError::Idle(duration) => Box::new(IdleTimeoutError::<Infallible>::Idle(duration)),
            IdleTimeoutError::Source(error) => error.into(),
        }
    }
}

/// A duration rounded to milliseconds, such as `30s` or `1.234s`. A duration below a millisecond is not rounded.
///
/// The client prints its timeouts in the same way from one millisecond up. It has separate code for that, because it
/// uses only public names of the other modules.
struct Rounded(Duration);

impl fmt::Display for Rounded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MILLISECOND: Duration = Duration::from_millis(1);
        if self.0 < MILLISECOND {
            return write!(f, "{:?}", self.0);
        }
        let nearest = self.0.saturating_add(MILLISECOND / 2);
        write!(f, "{:?}", Duration::from_millis(u64::try_from(nearest.as_millis()).unwrap_or(u64::MAX)))
    }
}
