//! The error of a typed stream of parts.

use crate::{Error, WholePart};
use alloc::{boxed::Box, string::ToString};
use core::fmt;
use serde_core::de::DeserializeOwned;

/// The error of [`JsonParts`](crate::JsonParts): the stream's, or a part that cannot be read as JSON.
///
/// The message includes that of the error inside, and [`source`](core::error::Error::source) does not repeat it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JsonPartError<E> {
    /// The stream of parts failed: its source, the decoder, or a part that is too large or truncated.
    #[error(transparent)]
    Stream(#[from] Error<E>),
    /// The `Content-Type` of this part is not JSON. Reading continues with the next part.
    #[error("the part is not JSON: its content type is {}", ContentType(.0))]
    NotJson(WholePart),
    /// The body of the part is not valid JSON, or does not fit the type. Reading continues with the next part.
    ///
    /// ```
    /// # use eventwire_multipart::{JsonPartError, Boundary, Collected, PartDecoder};
    /// # use std::convert::Infallible;
    /// #[derive(Debug, serde::Deserialize)]
    /// struct Payload { data: Data }
    ///
    /// #[derive(Debug, serde::Deserialize)]
    /// struct Data { id: u32 }
    ///
    /// let body = "--b\r\n\r\n{\"data\":{\"id\":null}}\r\n--b--";
    /// let decoder = PartDecoder::new(Boundary::new("b").unwrap());
    /// let mut payloads =
    ///     Collected::new([Ok::<_, Infallible>(body)].into_iter(), decoder).json::<Payload>();
    /// let Some(Err(JsonPartError::Payload { path, error, .. })) = payloads.next() else {
    ///     panic!()
    /// };
    /// assert_eq!(&*path, "data.id");
    /// assert_eq!(error.to_string(), "invalid type: null, expected u32 at line 1 column 18");
    /// ```
    #[error("cannot read the body of a part as JSON: {}{error}", Prefix(.path))]
    #[non_exhaustive]
    Payload {
        /// The path to the field that does not fit, such as `data.items[0].id`. Empty if the whole body does not fit
        /// or is not UTF-8, and for values that serde buffers, as in
        /// `JsonError::Payload` of eventwire.
        path: Box<str>,
        /// What does not fit, with the line and column in the body, if serde_json knows them.
        error: serde_json::Error,
        /// The part.
        part: WholePart,
    },
}

impl<E> JsonPartError<E> {
    #[cold]
    pub(super) fn payload<T: DeserializeOwned>(error: serde_json::Error, part: WholePart) -> JsonPartError<E> {
        let path = path_to_failure::<T>(part.body());
        JsonPartError::Payload { path, error, part }
    }

    /// Converts the transport's error; see [`Error::map_transport`].
    #[must_use]
    pub fn map_transport<F>(self, map: impl FnOnce(E) -> F) -> JsonPartError<F> {
        match self {
            JsonPartError::Stream(error) => JsonPartError::Stream(error.map_transport(map)),
            JsonPartError::NotJson(part) => JsonPartError::NotJson(part),
            JsonPartError::Payload { path, error, part } => JsonPartError::Payload { path, error, part },
        }
    }
}

/// Returns the path at which reading this JSON as a `T` fails. It is empty for the top, and if the value is valid but
/// the text goes on after it.
fn path_to_failure<T: DeserializeOwned>(json: &[u8]) -> Box<str> {
    match serde_path_to_error::deserialize::<_, T>(&mut serde_json::Deserializer::from_slice(json)) {
        Err(error) if error.path().iter().next().is_some() => error.path().to_string().into(),
        _ => Box::default(),
    }
}

/// Prints a path in front of an error: the first 200 characters of it.
struct Prefix<'p>(&'p str);

impl fmt::Display for Prefix<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() { Ok(()) } else { write!(f, "{:.200}: ", self.0) }
    }
}

/// Prints the content type of a part: at most 100 bytes, escaped where necessary.
struct ContentType<'p>(&'p WholePart);

impl fmt::Display for ContentType<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let essence = self.0.media_type().map(|media_type| media_type.essence()).unwrap_or_default();
        write!(f, "`{}`", essence[..essence.len().min(100)].escape_ascii())
    }
}
