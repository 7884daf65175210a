//! Why there will be no more connections.

use super::{ConnectionError, Refusal};
use crate::client::StopReason;
use alloc::boxed::Box;
use core::{error::Error, fmt};

/// Why an event source stopped; `E` is the connector's error.
///
/// As an error it prints the reason and, after a colon, the error of the last connection, whose
/// [`source`](core::error::Error::source) is its own. It is a [`core::error::Error`] if `E` is one. `Box<dyn Error>` is not;
/// [`into_boxed`](Stopped::into_boxed) is for that.
#[derive(Debug)]
pub struct Stopped<E> {
    reason: StopReason,
    error: Option<ConnectionError<E>>,
    /// Kept, because it depends on the error, which can be taken out.
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

    /// The same for a stream that has not had its last event: the server may say that there are no more events, but they are not all.
    pub(super) fn incomplete(reason: StopReason, error: Option<ConnectionError<E>>) -> Stopped<E> {
        let is_failure = reason == StopReason::NoContent;
        let stopped = Stopped::new(reason, error);
        Stopped { is_failure: is_failure || stopped.is_failure, ..stopped }
    }

    /// The whole, of which all but the error stays.
    pub(super) fn take(&mut self) -> Stopped<E> {
        Stopped { reason: self.reason, error: self.error.take(), is_failure: self.is_failure }
    }

    /// Why there will be no more connections.
    #[must_use]
    pub fn reason(&self) -> StopReason {
        self.reason
    }

    /// Why the last connection could not be made, or why it ended. `None` if the client closed it.
    #[must_use]
    pub fn error(&self) -> Option<&ConnectionError<E>> {
        self.error.as_ref()
    }

    /// The same, owned.
    #[must_use]
    pub fn into_error(self) -> Option<ConnectionError<E>> {
        self.error
    }

    /// The response that was not an event stream, if that is what stopped the source; a 204 too.
    #[must_use]
    pub fn refusal(&self) -> Option<&Refusal> {
        match &self.error {
            Some(ConnectionError::Refused(refusal)) => Some(refusal),
            _ => None,
        }
    }

    /// Whether something went wrong. Nothing did if the client closed the source, if the server answered 204 (unless a
    /// [last event](super::EventSource::with_end) was expected), if the [last event](super::Decide::is_end) of the
    /// stream has arrived, or if the body of a request that is [not sent again](crate::client::Resend)
    /// [ended](ConnectionError::Ended) and no event was unfinished.
    ///
    /// Over HTTP/1.0, or where neither a length nor chunks are used, a connection that is cut off between two events looks like one
    /// that ended. To be sure, say what the [last event](super::EventSource::with_end) is.
    #[must_use]
    pub fn is_failure(&self) -> bool {
        self.is_failure
    }

    /// Changes the connector's error, for example into a boxed one.
    #[must_use]
    pub fn map_transport<F>(self, map: impl FnOnce(E) -> F) -> Stopped<F> {
        Stopped {
            reason: self.reason,
            error: self.error.map(|error| error.map_transport(map)),
            is_failure: self.is_failure,
        }
    }

    /// The error in a box, for a connector whose error is `Box<dyn Error + Send + Sync>` itself, or converts into it.
    ///
    /// The box is for printing and for `?`: it cannot be downcast, neither to [`Stopped`] nor to the connector's error. If that error is a
    /// [`core::error::Error`], `?` and `into` convert `Stopped` without this method, and the box can be downcast.
    ///
    /// ```
    /// # futures_util::FutureExt::now_or_never(async {
    /// use eventwire::client::{EventSource, ReconnectPolicy, Stopped, connector_fn};
    /// use futures_util::{TryStreamExt, stream};
    /// # use std::{future, time::Duration};
    /// # let timer = |_: Duration| future::ready(());
    ///
    /// type BoxError = Box<dyn std::error::Error + Send + Sync>;
    ///
    /// async fn first(timer: impl eventwire::Timer) -> Result<String, BoxError> {
    ///     let connector = connector_fn(async |_| {
    ///         // Stands for a request that fails.
    ///         Err::<http::Response<stream::Empty<Result<String, BoxError>>>, BoxError>("connection refused".into())
    ///     });
    ///     let policy = ReconnectPolicy::new().with_max_attempts(3);
    ///     let mut events = EventSource::with_connector(connector, timer).with_policy(policy).events();
    ///     let event = events.try_next().await.map_err(|error| error.map_transport(Stopped::into_boxed).into_boxed())?;
    ///     Ok(event.map_or_else(String::new, |event| event.data().to_owned()))
    /// }
    ///
    /// let error = first(timer).await.unwrap_err();
    /// assert_eq!(error.to_string(), "too many attempts in a row without progress: connection refused");
    /// # }).unwrap();
    /// ```
    #[must_use]
    pub fn into_boxed(self) -> Box<dyn Error + Send + Sync>
    where
        E: Into<Box<dyn Error + Send + Sync>>,
    {
        self.map_transport(|error| Opaque(error.into())).into()
    }
}

impl<E> crate::Error<Stopped<E>> {
    /// The response that was not an event stream, if that is what stopped the source of these events; see [`Stopped::refusal`].
    #[must_use]
    pub fn refusal(&self) -> Option<&Refusal> {
        match self {
            crate::Error::Transport(stopped) => stopped.refusal(),
            _ => None,
        }
    }
}

#[cfg(feature = "json")]
impl<E> crate::JsonError<Stopped<E>> {
    /// The response that was not an event stream, if that is what stopped the source of these events; see [`Stopped::refusal`].
    ///
    /// ```
    /// # futures_util::FutureExt::now_or_never(async {
    /// use eventwire::client::{EventSource, connector_fn};
    /// use futures_util::{TryStreamExt, stream};
    /// # use std::{convert::Infallible, future, time::Duration};
    /// # let timer = |_: Duration| future::pending();
    /// # let connector = connector_fn(|_| async {
    /// #     let response = http::Response::builder().header("content-type", "application/json");
    /// #     Ok::<_, Infallible>(response.body(stream::iter([Ok::<_, Infallible>("[1, 2]")])).unwrap())
    /// # });
    ///
    /// // The server answers with JSON instead of events.
    /// let mut numbers = EventSource::with_connector(connector, timer).events().json::<u32>();
    /// let error = numbers.try_next().await.unwrap_err();
    /// assert_eq!(error.refusal().unwrap().json::<Vec<u32>>().unwrap(), [1, 2]);
    /// # }).unwrap();
    /// ```
    #[must_use]
    pub fn refusal(&self) -> Option<&Refusal> {
        match self {
            crate::JsonError::Stream(error) => error.refusal(),
            _ => None,
        }
    }
}

impl<E: fmt::Display> fmt::Display for Stopped<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.reason, &self.error) {
            // The refusal says more than the reason.
            (StopReason::Refused, Some(error)) => error.fmt(f),
            (reason, Some(error)) => write!(f, "{reason}: {error}"),
            (reason, None) => reason.fmt(f),
        }
    }
}

impl<E: Error + 'static> Error for Stopped<E> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        // The connection's error is printed already.
        self.error.as_ref()?.source()
    }
}

/// A boxed error as an error, which the box itself is not.
#[derive(Debug)]
struct Opaque(Box<dyn Error + Send + Sync>);

impl fmt::Display for Opaque {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Error for Opaque {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.source()
    }
}
