//! The error of a typed stream.

use super::path::{Path, Prefix};
use crate::{event::Event, feed::Error};
use alloc::boxed::Box;
use serde_core::de::{DeserializeOwned, Error as _};

/// The error of [`JsonStream`](crate::JsonStream): the stream's, the server's, or data that does not fit the type.
///
/// The message includes the message of the contained error: the transport's, the decoder's or serde_json's. Therefore
/// [`source`](core::error::Error::source) does not return that error again; for a transport's error, it returns the
/// source of that error. To get the contained error, use `match`. `JsonError<E>` implements [`core::error::Error`] if
/// `E` does.
///
/// You can continue to read after an error: the stream ends only at its end marker, or when its source ends. If the
/// dialect requires an end that is missing, the last item is [`Truncated`](JsonError::Truncated), even after other
/// errors.
///
/// ```
/// use eventwire::{Dialect, Events, JsonError};
/// # use std::convert::Infallible;
///
/// let body = concat!(
///     "data: {\"n\":1}\n\n",
///     "data: {\"n\":\"two\"}\n\n",
///     "data: {\"error\":{\"message\":\"overloaded\"}}\n\n",
/// );
/// #[derive(serde::Deserialize)]
/// struct Count { n: u32 }
///
/// let events = Events::new([Ok::<_, Infallible>(body)].into_iter());
/// let mut counts = events.json_with::<Count>(Dialect::OPENAI);
/// assert_eq!(counts.next().unwrap()?.n, 1);
/// let Some(Err(JsonError::Payload { event, .. })) = counts.next() else { panic!() };
/// assert_eq!(event.data(), "{\"n\":\"two\"}");
/// let Some(Err(JsonError::Reported(event))) = counts.next() else { panic!() };
/// assert!(event.data().contains("overloaded"));
/// assert!(matches!(counts.next(), Some(Err(JsonError::Truncated))));
/// assert!(counts.next().is_none());
/// # Ok::<(), JsonError<Infallible>>(())
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JsonError<E> {
    /// The stream of events failed, in its source or in the decoder.
    #[error(transparent)]
    Stream(#[from] Error<E>),
    /// The stream ended without the end that its [dialect](crate::Dialect#the-end) requires, so a part of it is
    /// missing.
    #[error("the stream is truncated: it ended without its end marker")]
    Truncated,
    /// The server reported an error [inside the stream](crate::Dialect::with_error_reports), with this event.
    ///
    /// The event has the type `error`, or its data is a JSON object with an `error` that is not null, or of type
    /// `error`. The format of the data depends on the server. The error message contains the first 200 characters of
    /// the data; `event.data()` returns all of it.
    #[error("the server reported an error: {:.200}", .0.data())]
    Reported(Event),
    /// The event's data is not valid JSON, or does not fit the type.
    ///
    /// ```
    /// # use eventwire::{Events, JsonError};
    /// # use std::convert::Infallible;
    /// #[derive(serde::Deserialize)]
    /// struct Chunk { choices: Vec<Choice> }
    ///
    /// #[derive(serde::Deserialize)]
    /// struct Choice { text: String }
    ///
    /// let body = "data: {\"choices\":[{\"text\":null}]}\n\n";
    /// let mut chunks = Events::new([Ok::<_, Infallible>(body)].into_iter()).json::<Chunk>();
    /// let Some(Err(JsonError::Payload { path, error, .. })) = chunks.next() else { panic!() };
    /// assert_eq!(&*path, "choices[0].text");
    /// assert_eq!(
    ///     error.to_string(),
    ///     "invalid type: null, expected a string at line 1 column 24"
    /// );
    /// ```
    #[error("cannot read the data of a `{:.200}` event as JSON: {}{error}", .event.event_type(), Prefix(.path))]
    #[non_exhaustive]
    Payload {
        /// The path to the field that does not fit, such as `choices[0].delta.content`. Empty if the payload itself
        /// does not fit.
        ///
        /// The path ends early at an internally tagged or untagged enum, and before a field in a `#[serde(flatten)]`,
        /// because serde reads those into a buffer before it reads them into the type. The path then leads to the
        /// enum, or to the object with the `flatten`; if that is the payload itself, the path is empty. The line and
        /// column in `error` are then those of the end of that value; for an enum that is the payload itself, there
        /// are none.
        ///
        /// To get the complete path, list the fields instead of using `flatten`. Instead of such an enum, first read
        /// only the tag, and then read the same data again as the struct for that tag.
        ///
        /// The path is only computed after a failure, by reading the data a second time. The error message contains
        /// the first 200 characters of the path.
        path: Box<str>,
        /// serde_json's error: what does not fit, with the line and column in the data if they are known.
        error: serde_json::Error,
        /// The event whose data could not be read.
        event: Event,
    },
}

impl<E> JsonError<E> {
    /// Returns the error of an event whose data could not be read as a `T`.
    #[cold]
    pub(super) fn payload<T: DeserializeOwned>(error: serde_json::Error, event: Event) -> JsonError<E> {
        if event.data().trim_ascii() == "[DONE]" {
            let error = serde_json::Error::custom(
                "it is the end of a stream in OpenAI's format, which `.json_with::<T>(Dialect::OPENAI)` recognises",
            );
            return JsonError::Payload { path: Box::default(), error, event };
        }
        JsonError::Payload { path: Path::to_failure::<T>(event.data()), error, event }
    }

    /// Converts the transport's error; see [`Error::map_transport`].
    #[must_use]
    pub fn map_transport<F>(self, map: impl FnOnce(E) -> F) -> JsonError<F> {
        match self {
            JsonError::Stream(error) => JsonError::Stream(error.map_transport(map)),
            JsonError::Truncated => JsonError::Truncated,
            JsonError::Reported(event) => JsonError::Reported(event),
            JsonError::Payload { path, error, event } => JsonError::Payload { path, error, event },
        }
    }
}
