//! Why a connection failed or ended.

use super::Refusal;
use alloc::boxed::Box;
use core::{fmt, time::Duration};

/// Why a connection could not be made, or why it ended; `E` is the connector's error.
///
/// [`Transport`](ConnectionError::Transport) prints the connector's error itself and has that error's source, so that neither
/// [`to_string`](alloc::string::ToString::to_string) nor a printed chain of sources loses or repeats anything. To get at the error,
/// match:
///
/// ```
/// use eventwire::client::ConnectionError;
/// use std::{error::Error, io};
///
/// let reset = io::Error::new(io::ErrorKind::ConnectionReset, "connection reset");
/// let error = ConnectionError::Transport(reset);
/// assert_eq!(error.to_string(), "connection reset");
/// assert!(error.source().is_none());
/// assert!(matches!(error, ConnectionError::Transport(io) if io.kind() == io::ErrorKind::ConnectionReset));
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConnectionError<E> {
    /// The connector failed, or the body that it returned did.
    #[error(transparent)]
    Transport(E),
    /// The body ended.
    #[error("the connection ended")]
    Ended,
    /// The response is not an event stream.
    #[error(transparent)]
    Refused(Box<Refusal>),
    /// No data was received for this long.
    #[error("no data received for {}", Rounded(*.0))]
    IdleTimeout(Duration),
    /// No event was received for this long; there may have been comments.
    #[error("no event received for {}", Rounded(*.0))]
    EventTimeout(Duration),
}

impl<E> ConnectionError<E> {
    /// Changes the connector's error, for example into a boxed one.
    #[must_use]
    pub fn map_transport<F>(self, map: impl FnOnce(E) -> F) -> ConnectionError<F> {
        match self {
            ConnectionError::Transport(error) => ConnectionError::Transport(map(error)),
            ConnectionError::Ended => ConnectionError::Ended,
            ConnectionError::Refused(refusal) => ConnectionError::Refused(refusal),
            ConnectionError::IdleTimeout(timeout) => ConnectionError::IdleTimeout(timeout),
            ConnectionError::EventTimeout(timeout) => ConnectionError::EventTimeout(timeout),
        }
    }
}

/// A duration rounded to milliseconds: `30s`, `1.234s`. One below that is printed as it is.
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
