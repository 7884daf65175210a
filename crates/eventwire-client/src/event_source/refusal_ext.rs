//! The response in the error of a stream.

use super::{Refusal, Stopped};
use eventwire::Error;
#[cfg(feature = "json")]
use eventwire::JsonError;

/// Adds [`refusal`](RefusalExt::refusal) to the errors of a stream of events, and of a typed stream.
///
/// ```
/// # #[cfg(feature = "json")] {
/// # futures_util::FutureExt::now_or_never(async {
/// use eventwire_client::{EventSource, RefusalExt, connector_fn};
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
/// # }
/// ```
///
/// This trait is sealed.
pub trait RefusalExt: sealed::Sealed {
    /// Returns the response that stopped the source because it was not an event stream; see [`Stopped::refusal`].
    fn refusal(&self) -> Option<&Refusal>;
}

impl<E> sealed::Sealed for Error<Stopped<E>> {}

impl<E> RefusalExt for Error<Stopped<E>> {
    fn refusal(&self) -> Option<&Refusal> {
        match self {
            Error::Transport(stopped) => stopped.refusal(),
            _ => None,
        }
    }
}

#[cfg(feature = "json")]
impl<E> sealed::Sealed for JsonError<Stopped<E>> {}

#[cfg(feature = "json")]
impl<E> RefusalExt for JsonError<Stopped<E>> {
    fn refusal(&self) -> Option<&Refusal> {
        match self {
            JsonError::Stream(error) => error.refusal(),
            _ => None,
        }
    }
}

mod sealed {
    pub trait Sealed {}
}
