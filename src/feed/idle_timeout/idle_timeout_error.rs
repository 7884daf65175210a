//! The error of a stream with an idle timeout.

use core::{fmt, time::Duration};

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
/// [`map_source(BoxError::from)`](crate::BoxError).
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
}

/// A duration rounded to milliseconds, such as `30s` or `1.500s`; eventwire-client prints its timeouts in the same way.
struct Rounded(Duration);

impl fmt::Display for Rounded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nearest = self.0.saturating_add(Duration::from_micros(500));
        match (nearest.as_secs(), nearest.subsec_millis()) {
            (0, milliseconds) => write!(f, "{milliseconds}ms"),
            (seconds, 0) => write!(f, "{seconds}s"),
            (seconds, milliseconds) => write!(f, "{seconds}.{milliseconds:03}s"),
        }
    }
}
