//! The response in the error of a stream.

use crate::{event_source::stopped::Stopped, unexpected_response::UnexpectedResponse};
use eventwire::Error;
#[cfg(feature = "json")]
use eventwire::JsonError;

/// Adds [`response`](ErrorExt::response) to the errors of a stream of events, and of a typed stream.
///
/// ```
/// # #[cfg(feature = "json")] {
/// # futures_util::FutureExt::now_or_never(async {
/// use eventwire_client::{EventSource, ErrorExt, connector_fn};
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
/// assert_eq!(error.response().unwrap().json::<Vec<u32>>().unwrap(), [1, 2]);
/// # }).unwrap();
/// # }
/// ```
///
/// This trait is sealed.
pub trait ErrorExt: sealed::Sealed {
    /// Returns the response that stopped the source because it was not an event stream; see [`Stopped::response`].
    fn response(&self) -> Option<&UnexpectedResponse>;
}

impl<E> sealed::Sealed for Error<Stopped<E>> {}

impl<E> ErrorExt for Error<Stopped<E>> {
    fn response(&self) -> Option<&UnexpectedResponse> {
        match self {
            Error::Transport(stopped) => stopped.response(),
            _ => None,
        }
    }
}

#[cfg(feature = "json")]
impl<E> sealed::Sealed for JsonError<Stopped<E>> {}

#[cfg(feature = "json")]
impl<E> ErrorExt for JsonError<Stopped<E>> {
    fn response(&self) -> Option<&UnexpectedResponse> {
        match self {
            JsonError::Stream(error) => error.response(),
            _ => None,
        }
    }
}

mod sealed {
    pub trait Sealed {}
}
