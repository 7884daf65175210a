//! Why there will be no more connections.

use super::{ConnectionError, Refusal};
use crate::client::StopReason;
use core::fmt;

/// How an event source has ended; `E` is the connector's error.
///
/// As an error, it says the reason, and the last connection's error is its source. It is a [`core::error::Error`] if `E` is one,
/// which `Box<dyn Error>` is not.
#[derive(Debug)]
pub struct Stopped<E> {
    pub(super) reason: StopReason,
    pub(super) error: Option<ConnectionError<E>>,
}

impl<E> Stopped<E> {
    /// Why there will be no more connections.
    #[must_use]
    pub fn reason(&self) -> StopReason {
        self.reason
    }

    /// Why the last connection could not be made, or is no more. There is nothing to say where this end has closed it.
    #[must_use]
    pub fn error(&self) -> Option<&ConnectionError<E>> {
        self.error.as_ref()
    }

    /// The same, to be kept.
    #[must_use]
    pub fn into_error(self) -> Option<ConnectionError<E>> {
        self.error
    }

    /// The response that was no event stream, if it was one that ended it; a 204, too.
    #[must_use]
    pub fn refusal(&self) -> Option<&Refusal> {
        match &self.error {
            Some(ConnectionError::Refused(refusal)) => Some(refusal),
            _ => None,
        }
    }

    /// Whether something has gone wrong. It has not where this end has closed it, where the server has answered 204, or where
    /// the body of a request that is [not sent again](crate::client::Resend) has come to its end.
    #[must_use]
    pub fn is_failure(&self) -> bool {
        !matches!(
            (self.reason, &self.error),
            (StopReason::Closed | StopReason::NoContent, _) | (StopReason::NotResent, Some(ConnectionError::Ended))
        )
    }
}

impl<E> fmt::Display for Stopped<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.refusal() {
            Some(refusal) if self.reason == StopReason::Refused => refusal.fmt(f),
            _ => self.reason.fmt(f),
        }
    }
}

impl<E: core::error::Error + 'static> core::error::Error for Stopped<E> {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        // Which is not said twice.
        self.error.as_ref().filter(|_| self.reason != StopReason::Refused).map(|error| error as _)
    }
}
