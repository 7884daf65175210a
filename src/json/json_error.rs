//! The error of a typed stream.

use super::path::path_to_failure;
use crate::{
    event::Event,
    feed::{Error, Excerpt},
};
use alloc::{boxed::Box, format, string::ToString};
use core::fmt;
use serde_core::de::{DeserializeOwned, Error as _};

/// The error of [`JsonStream`](crate::JsonStream): the stream's, the server's, or data that does not fit the type.
///
/// It prints on one line what failed and why, as [`Error`] does: of a transport's error with its sources, of a reported
/// error the server's words, and of data that does not fit its beginning. It has no
/// [`source`](core::error::Error::source), so that a printed chain of errors repeats nothing. To get the contained
/// error, use `match`. `JsonError<E>` is printable and implements [`core::error::Error`] if `E` does.
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
/// let Some(Err(JsonError::Reported { message, .. })) = counts.next() else { panic!() };
/// assert_eq!(&*message, "overloaded");
/// assert!(matches!(counts.next(), Some(Err(JsonError::Truncated { .. }))));
/// assert!(counts.next().is_none());
/// # Ok::<(), JsonError<Infallible>>(())
/// ```
///
/// # Text that is no field
///
/// A service that fails in the middle of its stream often writes the error as text that the standard ignores: a line
/// `error: {..}`, JSON without `data:`, or the HTML page of a proxy. Half an answer would then end like a complete one.
/// So at the end of the stream, after all values, the [ignored text](crate::Decoder::ignored) is an error too, even
/// after an end marker, and even if the end is optional:
///
/// | the text | the error |
/// |---|---|
/// | a line named `error`, or JSON that the [dialect](crate::Dialect::with_error_reports) recognises as an error | [`Reported`](JsonError::Reported), with the server's message |
/// | a line that begins with `{`, `[` or `<` | [`Error::NotEventStream`], as [`Stream`](JsonError::Stream) |
/// | any other, such as `timestamp: 1` | none, but [`Truncated`](JsonError::Truncated) quotes it |
///
/// A dialect that reads no error reports, such as that of [`json`](crate::Events::json), returns
/// [`Error::NotEventStream`] for the first two. At most 1 KiB of the text is kept, so longer JSON cannot be parsed, and
/// its beginning is quoted. If the source of the events is an adapter of yours, the text is not known.
///
/// ```
/// use eventwire::{Dialect, Events, JsonError};
/// # use std::convert::Infallible;
///
/// let body = concat!(
///     "data: 1\n\n",
///     "error: {\"code\":400,\"message\":\"the prompt is too long\"}\n\n",
///     "data: [DONE]\n\n",
/// );
/// let events = Events::new([Ok::<_, Infallible>(body)].into_iter());
/// let mut values = events.json_with::<u32>(Dialect::OPENAI);
/// assert_eq!(values.next().unwrap()?, 1);
/// let error = values.next().unwrap().unwrap_err();
/// assert_eq!(error.to_string(), "the server reported an error: the prompt is too long");
/// assert!(values.next().is_none());
/// # Ok::<(), JsonError<Infallible>>(())
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum JsonError<E> {
    /// The stream of events failed, in its source or in the decoder.
    Stream(Error<E>),
    /// The stream ended without the end that its [dialect](crate::Dialect#the-end) requires, or inside a [line of
    /// JSON](crate::Events::json_lines), so a part of it is missing.
    #[non_exhaustive]
    Truncated {
        /// The ends of which one is missing: `` `message_stop` ``, or `` `message-end` or `[DONE]` ``. It is empty if
        /// the dialect requires none.
        expected: Box<str>,
        /// The beginning of the data of an event that the end of the stream has cut off. It is `[DONE]` if the server
        /// has omitted the blank line after that; a decoder with [`Eof::Dispatch`](crate::Eof::Dispatch) accepts it.
        /// It is empty if no event was cut off. It is also empty if the source of the events is an adapter of yours,
        /// because only [`Events`](crate::Events) and the client know it.
        ///
        /// Of JSON lines, it is the beginning of the unfinished line.
        unfinished: Box<str>,
        /// The beginning of the text that [is no field](crate::Decoder::ignored), such as `timestamp: 1`. It is empty
        /// if there was none, or if it was [an error of its own](JsonError#text-that-is-no-field).
        ignored: Box<[u8]>,
        /// The number of the unfinished line, counted from 1. `None` if the stream is not of JSON lines, or ended
        /// between two lines.
        line: Option<u64>,
    },
    /// The server reported an error [inside the stream](crate::Dialect::with_error_reports), with this event, or in
    /// [text that is no field](JsonError#text-that-is-no-field).
    ///
    /// ```
    /// # use eventwire::{Dialect, Events, JsonError};
    /// # use std::convert::Infallible;
    /// let body = "data: {\"error\":{\"message\":\"overloaded\",\"code\":529}}\n\n";
    /// let events = Events::new([Ok::<_, Infallible>(body)].into_iter());
    /// let error = events.json_with::<u32>(Dialect::OPENAI).next().unwrap().unwrap_err();
    /// assert_eq!(error.to_string(), "the server reported an error: overloaded");
    /// let JsonError::Reported { message, event, .. } = error else { panic!() };
    /// assert_eq!(&*message, "overloaded");
    /// assert!(event.data().contains("529")); // the format of the rest depends on the server
    /// ```
    #[non_exhaustive]
    Reported {
        /// The server's words: the first text in `message`, `error`, `error_message`, `detail` or `msg` of the JSON. An
        /// `error` that is an object or an array is searched before them, and the objects in `delta` and `choices`
        /// after them, up to eight levels deep; a text in these two is a part of the answer. If there are no such
        /// words, or if the data is not JSON, this is all of the data. The error message contains its first 200
        /// characters.
        message: Box<str>,
        /// The event that reports the error; for text that is no field, an event of type `error` with that text.
        event: Box<Event>,
        /// The number of the line that reports it, counted from 1. `None` if the stream is not of JSON lines.
        line: Option<u64>,
    },
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
        /// The path is found by serde_path_to_error. It ends early at a map whose keys are an enum or floating-point
        /// numbers. If the type ignores an error in a field, the path leads to that field, because it is that of the
        /// first error.
        ///
        /// To get the complete path, list the fields instead of using `flatten`. Instead of such an enum, first read
        /// only the tag, and then read the same data again as the struct for that tag.
        ///
        /// The path is only computed after a failure, by reading the data a second time. The error message contains
        /// the first 200 characters of the path, and of the data.
        path: Box<str>,
        /// serde_json's error: what does not fit, with the line and column in the data if they are known.
        error: serde_json::Error,
        /// The event whose data could not be read. It is boxed because a larger error makes every item of a stream
        /// larger.
        event: Box<Event>,
        /// The number of the line, counted from 1. `None` if the stream is not of JSON lines.
        line: Option<u64>,
    },
}

impl<E> JsonError<E> {
    /// Returns the error of an event whose data could not be read as a `T`.
    #[cold]
    pub(super) fn payload<T: DeserializeOwned>(error: serde_json::Error, event: Event) -> JsonError<E> {
        if event.data().trim_ascii() == "[DONE]" {
            let error = serde_json::Error::custom(
                "it is the end of a language model's stream, which `.json_with::<T>(..)` recognises with the service's \
                 `Dialect`",
            );
            return JsonError::Payload { path: Box::default(), error, event: Box::new(event), line: None };
        }
        JsonError::Payload { path: path_to_failure::<T>(event.data()), error, event: Box::new(event), line: None }
    }

    /// Converts the transport's error; see [`Error::map_transport`].
    #[must_use]
    pub fn map_transport<F>(self, map: impl FnOnce(E) -> F) -> JsonError<F> {
        match self {
            JsonError::Stream(error) => JsonError::Stream(error.map_transport(map)),
            JsonError::Truncated { expected, unfinished, ignored, line } => {
                JsonError::Truncated { expected, unfinished, ignored, line }
            }
            JsonError::Reported { message, event, line } => JsonError::Reported { message, event, line },
            JsonError::Payload { path, error, event, line } => JsonError::Payload { path, error, event, line },
        }
    }
}

impl<E> From<Error<E>> for JsonError<E> {
    fn from(error: Error<E>) -> JsonError<E> {
        JsonError::Stream(error)
    }
}

impl<E: core::error::Error + 'static> fmt::Display for JsonError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            JsonError::Stream(error) => error.fmt(f),
            JsonError::Truncated { expected, unfinished, ignored, line } => {
                f.write_str("the stream is truncated: it ended ")?;
                let (has_end, rest) = (expected.is_empty(), Excerpt::new(unfinished.as_bytes()));
                match line {
                    Some(line) if has_end => write!(f, "inside line {line}, which is `{rest}`")?,
                    Some(line) => write!(f, "inside line {line}, which is `{rest}`, and without {expected}")?,
                    None if unfinished.is_empty() => write!(f, "without {expected}")?,
                    None => write!(f, "without {expected}; the unfinished data at its end is `{rest}`")?,
                }
                if !ignored.is_empty() {
                    write!(f, "; it contains text that is no field: `{}`", Excerpt::new(ignored))?;
                }
                Ok(())
            }
            JsonError::Reported { message, line, .. } => {
                f.write_str("the server reported an error")?;
                if let Some(line) = line {
                    write!(f, " in line {line}")?;
                }
                if message.is_empty() { Ok(()) } else { write!(f, ": {}", Excerpt::new(message.as_bytes())) }
            }
            JsonError::Payload { path, error, event, line } => {
                let (data, colon) = (Excerpt::new(event.data().as_bytes()), if path.is_empty() { "" } else { ": " });
                let Some(line) = line else {
                    let event_type = Excerpt::new(event.event_type().as_bytes());
                    return write!(
                        f,
                        "cannot read the data of a `{event_type}` event as JSON: {path:.200}{colon}{error}; the data is \
                         `{data}`"
                    );
                };
                if is_of_event_stream(event.data()) {
                    return write!(
                        f,
                        "cannot read line {line} as JSON: it is a line of an event stream, which `.json()` reads \
                         instead of `.json_lines()`; the line is `{data}`"
                    );
                }
                write!(f, "cannot read line {line}")?;
                if error.column() > 0 {
                    write!(f, ", column {},", error.column())?;
                }
                // The number of a line within the line would be a second number of a line.
                let place = format!(" at line {} column {}", error.line(), error.column());
                let error = error.to_string();
                let error = error.strip_suffix(&place).unwrap_or(&error);
                write!(f, " as JSON: {path:.200}{colon}{error}; the line is `{data}`")
            }
        }
    }
}

/// Returns whether a line that is not JSON is one of an event stream. JSON never begins like this.
fn is_of_event_stream(line: &str) -> bool {
    [":", "data:", "event:", "id:", "retry:"].iter().any(|beginning| line.starts_with(beginning))
}

/// What is contained has been printed.
impl<E: core::error::Error + 'static> core::error::Error for JsonError<E> {}
