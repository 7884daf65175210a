//! Errors of reading parts as JSON.

use super::path::{Path, Prefix};
use crate::multipart::{Error, WholePart};
use alloc::boxed::Box;
use core::{convert::Infallible, fmt, str};
use serde_core::de::DeserializeOwned;

/// An error of [`JsonParts`](crate::JsonParts).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JsonPartError<E> {
    /// The stream of parts failed: its source, the decoder, or a part that is too large.
    #[error(transparent)]
    Stream(#[from] Error<E>),
    /// The `Content-Type` of this part is not JSON. Reading continues with the next part.
    #[error("the part is not JSON: its content type is {}", ContentType(.0))]
    NotJson(WholePart),
    /// The stream ended within this part, so that it may not be whole, even if what there is of it is JSON.
    #[error("the part was cut off: the stream ended before it was complete")]
    CutOff(WholePart),
    /// The body of the part is not valid JSON, or does not fit the type. Reading continues with the next part.
    ///
    /// ```
    /// # use eventwire::{JsonPartError, multipart::{Boundary, Collected, PartDecoder}};
    /// # use std::convert::Infallible;
    /// #[derive(Debug, serde::Deserialize)]
    /// struct Payload { data: Data }
    ///
    /// #[derive(Debug, serde::Deserialize)]
    /// struct Data { id: u32 }
    ///
    /// let body = "--b\r\n\r\n{\"data\":{\"id\":null}}\r\n--b--";
    /// let decoder = PartDecoder::new(Boundary::new("b").unwrap());
    /// let mut payloads = Collected::new([Ok::<_, Infallible>(body)].into_iter(), decoder).json::<Payload>();
    /// let Some(Err(JsonPartError::Payload { path, error, .. })) = payloads.next() else { panic!() };
    /// assert_eq!(&*path, "data.id");
    /// assert_eq!(error.to_string(), "invalid type: null, expected u32 at line 1 column 18");
    /// ```
    #[error("cannot read the body of a part as JSON: {}{error}", Prefix(.path))]
    #[non_exhaustive]
    Payload {
        /// The field that does not fit, such as `data.items[0].id`, as in [`JsonError`](crate::JsonError); empty if the body as a whole does
        /// not fit, or is not UTF-8.
        path: Box<str>,
        /// What does not fit, and at which line and column of the body.
        error: serde_json::Error,
        /// The whole part.
        part: WholePart,
    },
}

impl<E> JsonPartError<E> {
    #[cold]
    pub(super) fn payload<T: DeserializeOwned>(error: serde_json::Error, part: WholePart) -> JsonPartError<E> {
        let path = str::from_utf8(part.body()).map(Path::of_failure::<T>).unwrap_or_default();
        JsonPartError::Payload { path, error, part }
    }

    /// Maps the transport's error; see [`Error::map_transport`].
    #[must_use]
    pub fn map_transport<F>(self, map: impl FnOnce(E) -> F) -> JsonPartError<F> {
        match self {
            JsonPartError::Stream(error) => JsonPartError::Stream(error.map_transport(map)),
            JsonPartError::NotJson(part) => JsonPartError::NotJson(part),
            JsonPartError::CutOff(part) => JsonPartError::CutOff(part),
            JsonPartError::Payload { path, error, part } => JsonPartError::Payload { path, error, part },
        }
    }

    /// The error in a box, for a transport whose error is `Box<dyn Error + Send + Sync>`; see [`Error::into_boxed`].
    #[must_use]
    pub fn into_boxed(self) -> Box<dyn core::error::Error + Send + Sync>
    where
        E: Into<Box<dyn core::error::Error + Send + Sync>>,
    {
        match self {
            JsonPartError::Stream(error) => error.into_boxed(),
            JsonPartError::NotJson(part) => JsonPartError::<Infallible>::NotJson(part).into(),
            JsonPartError::CutOff(part) => JsonPartError::<Infallible>::CutOff(part).into(),
            JsonPartError::Payload { path, error, part } => {
                JsonPartError::<Infallible>::Payload { path, error, part }.into()
            }
        }
    }
}

/// The content type of a part, as far as it can be printed.
struct ContentType<'p>(&'p WholePart);

impl fmt::Display for ContentType<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let essence = self.0.media_type().map(|media_type| media_type.essence()).unwrap_or_default();
        write!(f, "`{}`", essence[..essence.len().min(100)].escape_ascii())
    }
}
