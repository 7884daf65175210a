//! What may go wrong with a typed stream.

use crate::{event::Event, feed::Error};

/// Why an item of a typed stream is not a value.
///
/// It is a [`core::error::Error`] if `E` is one. None of them ends the stream, which goes on until its end marker or its source
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
    #[error("an event of type {:?} is not what was expected", .event.event_type())]
    Payload {
        /// What does not fit, and at which line and column of the data.
        source: serde_json::Error,
        /// The event, whole.
        event: Event,
    },
}
