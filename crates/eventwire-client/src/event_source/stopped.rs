//! Why an event source stopped.

use crate::{
    event_source::connection_error::ConnectionError, reconnect::stop_reason::StopReason,
    unexpected_response::UnexpectedResponse,
};
use alloc::boxed::Box;
use core::{error::Error, fmt};

/// Why an event source stopped; `E` is the connector's error.
///
/// It prints why the source stopped, and the error of the last connection with its sources, on one line: "not retried:
/// no data received for 30s". It has no [`source`](core::error::Error::source), so that a printed chain of errors
/// repeats nothing. [`error`](Stopped::error) returns the error of the last connection.
///
/// It is printable and implements [`core::error::Error`] if `E` does. `Box<dyn Error>` does not: if that is the
/// connector's error, use [`map_transport(BoxError::from)`](eventwire::BoxError).
///
/// ```
/// # futures_util::FutureExt::now_or_never(async {
/// use eventwire_client::{EventSource, StopReason, connector_fn};
/// use futures_util::{StreamExt, stream};
/// # use std::{convert::Infallible, future, time::Duration};
/// # let timer = |_: Duration| future::ready(());
/// # let connector = connector_fn(|_| async {
/// #     let response = http::Response::builder().status(401);
/// #     Ok::<_, Infallible>(response.body(stream::iter([Ok::<_, Infallible>("expired token")])).unwrap())
/// # });
///
/// let mut source = EventSource::with_connector(connector, timer);
/// while source.next().await.is_some() {}
/// let stopped = source.into_stopped();
/// assert!(stopped.is_failure());
/// assert_eq!(stopped.reason(), StopReason::UnexpectedResponse);
/// assert_eq!(stopped.to_string(), "the server answered 401 Unauthorized: expired token");
/// assert_eq!(stopped.response().unwrap().text(), "expired token");
///
/// let response = stopped.into_response().unwrap().into_http();
/// assert_eq!((response.status().as_u16(), &response.body()[..]), (401, &b"expired token"[..]));
/// # }).unwrap();
/// ```
#[derive(Debug)]
pub struct Stopped<E> {
    reason: StopReason,
    error: Option<ConnectionError<E>>,
    /// Stored, because it depends on the error, which can be taken.
    is_failure: bool,
}

impl<E> Stopped<E> {
    pub(super) fn new(reason: StopReason, error: Option<ConnectionError<E>>) -> Stopped<E> {
        let is_failure = !matches!(
            (reason, &error),
            (StopReason::Closed | StopReason::NoContent | StopReason::Finished, _)
                | (StopReason::NotResent, Some(ConnectionError::Ended))
        );
        Stopped { reason, error, is_failure }
    }

    /// Like `new`, but a failure in any case.
    pub(super) fn failed(reason: StopReason, error: Option<ConnectionError<E>>) -> Stopped<E> {
        Stopped { reason, error, is_failure: true }
    }

    /// Returns what is left of the report when its error has been taken.
    pub(super) fn without_error(&self) -> Stopped<E> {
        Stopped { reason: self.reason, error: None, is_failure: self.is_failure }
    }

    /// Returns the reason why there are no more connections.
    #[must_use]
    pub fn reason(&self) -> StopReason {
        self.reason
    }

    /// Returns why the last connection could not be made or ended. `None` if the client closed the source, if the
    /// last event of the stream has arrived, or if there was no attempt.
    #[must_use]
    pub fn error(&self) -> Option<&ConnectionError<E>> {
        self.error.as_ref()
    }

    /// Returns the response that stopped the source because it was not an event stream. A 204 counts.
    #[must_use]
    pub fn response(&self) -> Option<&UnexpectedResponse> {
        match &self.error {
            Some(ConnectionError::UnexpectedResponse(response)) => Some(response),
            _ => None,
        }
    }

    /// Takes the response that stopped the source out of the report, like
    /// [`OpenError::into_response`](crate::OpenError::into_response).
    ///
    /// # Errors
    ///
    /// The report itself, if no response has stopped the source.
    pub fn into_response(self) -> Result<Box<UnexpectedResponse>, Stopped<E>> {
        match self.error {
            Some(ConnectionError::UnexpectedResponse(response)) => Ok(response),
            _ => Err(self),
        }
    }

    /// Returns whether something went wrong. It is `false` in these cases:
    ///
    /// * The client closed the source.
    /// * The server answered 204, unless a [last event](crate::EventSource::with_end) was expected.
    /// * The stream is [complete](StopReason::Finished): its last event has arrived.
    /// * The request must not be [sent again](crate::Resend), and its response
    ///   [ended](ConnectionError::Ended) between two events. If its method [is
    ///   unknown](crate::Resend::Unknown), this is a failure, because the end of the response does not
    ///   show that it is complete.
    ///
    /// In HTTP/1.0, and in HTTP/1.1 if a response has neither a length nor the chunked encoding, a connection that
    /// broke between two events looks like a response that ended. To detect that, set the [last
    /// event](crate::EventSource::with_end).
    #[must_use]
    pub fn is_failure(&self) -> bool {
        self.is_failure
    }

    /// Converts the connector's error, for example into a boxed one.
    #[must_use]
    pub fn map_transport<F>(self, map: impl FnOnce(E) -> F) -> Stopped<F> {
        Stopped {
            reason: self.reason,
            error: self.error.map(|error| error.map_transport(map)),
            is_failure: self.is_failure,
        }
    }
}

impl<E: Error + 'static> fmt::Display for Stopped<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.reason, &self.error) {
            // The error contains more than the reason.
            (StopReason::UnexpectedResponse | StopReason::Permanent, Some(error)) => error.fmt(f),
            (StopReason::NotResent, Some(error)) => write!(f, "not retried: {error}"),
            (reason, Some(error)) => write!(f, "{reason}: {error}"),
            (reason, None) => reason.fmt(f),
        }
    }
}

/// The connection's error and its sources have been printed.
impl<E: Error + 'static> Error for Stopped<E> {}
