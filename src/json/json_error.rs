//! What may go wrong with a typed stream.

use crate::{event::Event, feed::Error};
use alloc::boxed::Box;
use core::convert::Infallible;

/// Why an item of a typed stream is not a value.
///
/// It prints what it holds, and has the [`source`](core::error::Error::source) of the transport's error, if it holds one. serde_json's error
/// is printed, and is no source: match to get at it. It is a [`core::error::Error`] if `E` is one. None of them ends the stream, which goes on until its end marker or its source
/// does; where a marker is required and did not come, the very last item is [`Truncated`](JsonError::Truncated), whatever was said
/// before.
///
/// ```
/// use eventwire::{Events, JsonError};
/// # use std::convert::Infallible;
///
/// let body = "data: {\"n\":1}\n\ndata: {\"n\":\"two\"}\n\ndata: {\"error\":{\"message\":\"overloaded\"}}\n\n";
/// #[derive(serde::Deserialize)]
/// struct Count { n: u32 }
///
/// let mut counts = Events::new([Ok::<_, Infallible>(body)].into_iter()).json::<Count>().require_end_marker();
/// assert_eq!(counts.next().unwrap()?.n, 1);
/// assert!(matches!(counts.next(), Some(Err(JsonError::Payload { event, .. })) if event.data() == "{\"n\":\"two\"}"));
/// assert!(matches!(counts.next(), Some(Err(JsonError::Reported(event))) if event.data().contains("overloaded")));
/// assert!(matches!(counts.next(), Some(Err(JsonError::Truncated))));
/// assert!(counts.next().is_none());
/// # Ok::<(), JsonError<Infallible>>(())
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JsonError<E> {
    /// The stream of events failed: its source, or the decoder.
    #[error(transparent)]
    Stream(#[from] Error<E>),
    /// The stream ended without its end marker, which was [required](crate::JsonStream::require_end_marker): something of it is
    /// missing.
    #[error("the stream was cut off: it ended without its end marker")]
    Truncated,
    /// The server reported an error inside the stream: an event of type `error`, or an object with an `error` that is not
    /// null. This is the whole event; the form of its data is the server's own.
    #[error("the server reported an error: {:.200}", .0.data())]
    Reported(Event),
    /// The event's data is not the JSON that was asked for.
    #[error("cannot read the data of a `{}` event as JSON: {error}", .event.event_type())]
    #[non_exhaustive]
    Payload {
        /// What does not fit, and at which line and column of the data.
        error: serde_json::Error,
        /// The whole event.
        event: Event,
    },
}

impl<E> JsonError<E> {
    /// Changes the transport's error; see [`Error::map_transport`].
    #[must_use]
    pub fn map_transport<F>(self, map: impl FnOnce(E) -> F) -> JsonError<F> {
        match self {
            JsonError::Stream(error) => JsonError::Stream(error.map_transport(map)),
            JsonError::Truncated => JsonError::Truncated,
            JsonError::Reported(event) => JsonError::Reported(event),
            JsonError::Payload { error, event } => JsonError::Payload { error, event },
        }
    }

    /// The error in a box, for a transport whose error is `Box<dyn Error + Send + Sync>`; see [`Error::into_boxed`].
    ///
    /// ```
    /// use eventwire::{Events, JsonError};
    ///
    /// type BoxError = Box<dyn std::error::Error + Send + Sync>;
    ///
    /// fn sum(chunks: impl Iterator<Item = Result<String, BoxError>>) -> Result<u32, BoxError> {
    ///     let numbers = Events::new(chunks).json::<u32>().require_end_marker();
    ///     numbers.map(|number| number.map_err(JsonError::into_boxed)).sum()
    /// }
    ///
    /// assert_eq!(sum([Ok("data: 1\n\ndata: 2\n\ndata: [DONE]\n\n".to_owned())].into_iter()).unwrap(), 3);
    /// let error = sum([Ok("data: one\n\n".to_owned())].into_iter()).unwrap_err();
    /// assert!(error.to_string().starts_with("cannot read the data of a `message` event as JSON: "));
    /// ```
    #[must_use]
    pub fn into_boxed(self) -> Box<dyn core::error::Error + Send + Sync>
    where
        E: Into<Box<dyn core::error::Error + Send + Sync>>,
    {
        match self {
            JsonError::Stream(error) => error.into_boxed(),
            JsonError::Truncated => JsonError::<Infallible>::Truncated.into(),
            JsonError::Reported(event) => JsonError::<Infallible>::Reported(event).into(),
            JsonError::Payload { error, event } => JsonError::<Infallible>::Payload { error, event }.into(),
        }
    }
}
