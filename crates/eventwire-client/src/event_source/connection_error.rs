//! Why a connection could not be made or ended.

use crate::unexpected_response::UnexpectedResponse;
use alloc::boxed::Box;
use core::{error::Error, fmt, time::Duration};
use eventwire::internal::{Chain, Rounded};

/// Why a connection could not be made or ended; `E` is the connector's error.
///
/// [`Transport`](ConnectionError::Transport) prints the connector's error and its sources on one line, so that even
/// `{error}` says what happened. It has no [`source`](core::error::Error::source), so that a printed chain of errors
/// repeats nothing. To get the connector's error itself, match on it:
///
/// ```
/// use eventwire_client::ConnectionError;
/// use std::io;
///
/// let reset = io::Error::new(io::ErrorKind::ConnectionReset, "connection reset");
/// let error = ConnectionError::Transport(reset);
/// assert_eq!(error.to_string(), "connection reset");
/// let ConnectionError::Transport(error) = error else { panic!("{error}") };
/// assert_eq!(error.kind(), io::ErrorKind::ConnectionReset);
/// ```
///
/// It prints errors that implement [`core::error::Error`]. A `Box<dyn Error>` does not: match on `Transport`, or
/// convert it by [`map_transport(BoxError::from)`](eventwire::BoxError).
#[derive(Debug)]
#[non_exhaustive]
pub enum ConnectionError<E> {
    /// The connector's error: there is no response, or its body failed.
    Transport(E),
    /// The body ended, and no event was unfinished.
    Ended,
    /// The body ended inside an event, or before the [last event](crate::Hooks::is_end) of the stream. With
    /// [`Eof::Dispatch`](eventwire::Eof::Dispatch), an unfinished event is dispatched, so only the second counts.
    Truncated,
    /// The response is not an event stream.
    UnexpectedResponse(Box<UnexpectedResponse>),
    /// No response was received for this long. Part of the head may have arrived.
    ResponseTimeout(Duration),
    /// No data of the body was received for this long.
    IdleTimeout(Duration),
    /// No event that is [progress](crate::Hooks::is_progress) was received for this long. Comments and other events
    /// may have been received.
    ProgressTimeout(Duration),
}

impl<E> ConnectionError<E> {
    /// Returns whether this is one of the three timeouts.
    #[must_use]
    pub const fn is_timeout(&self) -> bool {
        matches!(
            self,
            ConnectionError::ResponseTimeout(_) | ConnectionError::IdleTimeout(_) | ConnectionError::ProgressTimeout(_)
        )
    }

    /// Converts the connector's error, for example into a boxed one.
    #[must_use]
    pub fn map_transport<F>(self, map: impl FnOnce(E) -> F) -> ConnectionError<F> {
        match self {
            ConnectionError::Transport(error) => ConnectionError::Transport(map(error)),
            ConnectionError::Ended => ConnectionError::Ended,
            ConnectionError::Truncated => ConnectionError::Truncated,
            ConnectionError::ResponseTimeout(timeout) => ConnectionError::ResponseTimeout(timeout),
            ConnectionError::UnexpectedResponse(response) => ConnectionError::UnexpectedResponse(response),
            ConnectionError::IdleTimeout(timeout) => ConnectionError::IdleTimeout(timeout),
            ConnectionError::ProgressTimeout(timeout) => ConnectionError::ProgressTimeout(timeout),
        }
    }
}

impl<E: Error + 'static> fmt::Display for ConnectionError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ConnectionError::Transport(error) => Chain(error).fmt(f),
            ConnectionError::Ended => f.write_str("the connection ended"),
            ConnectionError::Truncated => f.write_str("the stream is truncated: the connection ended early"),
            ConnectionError::UnexpectedResponse(response) => response.fmt(f),
            ConnectionError::ResponseTimeout(timeout) => write!(f, "no response received for {}", Rounded(*timeout)),
            ConnectionError::IdleTimeout(timeout) => write!(f, "no data received for {}", Rounded(*timeout)),
            ConnectionError::ProgressTimeout(timeout) => write!(f, "no progress for {}", Rounded(*timeout)),
        }
    }
}

/// The sources of the connector's error have been printed.
impl<E: Error + 'static> Error for ConnectionError<E> {}
