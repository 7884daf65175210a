//! What a response is opened as.

#[cfg(feature = "multipart")]
use super::UntilError;
use super::{Opened, is_event_stream};
use crate::ResponseHead;
use alloc::string::String;
#[cfg(feature = "multipart")]
use alloc::string::ToString;
use bytes::Bytes;
use eventwire::Timer;
#[cfg(feature = "multipart")]
use eventwire_multipart::{Boundary, InvalidBoundary, PartDecoder, Parts};
use futures_core::Stream;
use http::Response;

/// What an [`Opening`](super::Opening) expects of a response, and what it makes of it. It is sealed.
pub trait Format: sealed::Sealed {
    /// What is opened: of a body `S`, with a timer `T`.
    type Opened<S, T: Timer>;

    /// Returns whether to open a response, unless the caller has set a check.
    #[doc(hidden)]
    fn accepts(head: &ResponseHead<'_>) -> bool;

    /// Returns what is wrong with a content type that would be the right one, for the error message.
    #[doc(hidden)]
    #[must_use]
    fn problem(_: &ResponseHead<'_>) -> Option<String> {
        None
    }

    /// Opens a response that has passed the check, or returns it if it does not have this format.
    #[doc(hidden)]
    fn open<S, B, E, T>(response: Response<S>, timer: &T) -> Result<Self::Opened<S, T>, Response<S>>
    where
        S: Stream<Item = Result<B, E>>,
        B: Into<Bytes>,
        T: Timer + Clone;
}

/// A stream of events. It is opened as an [`Opened`].
#[derive(Clone, Copy, Debug)]
pub enum EventStreamFormat {}

impl sealed::Sealed for EventStreamFormat {}

impl Format for EventStreamFormat {
    type Opened<S, T: Timer> = Opened<S, T>;

    fn accepts(head: &ResponseHead<'_>) -> bool {
        is_event_stream(head)
    }

    fn open<S, B, E, T>(response: Response<S>, timer: &T) -> Result<Opened<S, T>, Response<S>>
    where
        S: Stream<Item = Result<B, E>>,
        B: Into<Bytes>,
        T: Timer + Clone,
    {
        Ok(Opened::new(response, timer.clone()))
    }
}

/// Parts of a `multipart/x-mixed-replace`, or of another `multipart`. They are opened as a response whose body is
/// [`Parts`].
#[cfg(feature = "multipart")]
#[derive(Clone, Copy, Debug)]
pub enum MultipartFormat {}

#[cfg(feature = "multipart")]
impl sealed::Sealed for MultipartFormat {}

#[cfg(feature = "multipart")]
impl Format for MultipartFormat {
    type Opened<S, T: Timer> = Response<Parts<UntilError<S>>>;

    fn accepts(head: &ResponseHead<'_>) -> bool {
        head.status() == 200 && !head.is_encoded()
    }

    fn problem(head: &ResponseHead<'_>) -> Option<String> {
        match Boundary::from_content_type(head.header("content-type")?) {
            Ok(_) | Err(InvalidBoundary::NotMultipart) => None,
            Err(error) => Some(error.to_string()),
        }
    }

    fn open<S, B, E, T>(response: Response<S>, _: &T) -> Result<Self::Opened<S, T>, Response<S>>
    where
        S: Stream<Item = Result<B, E>>,
        B: Into<Bytes>,
        T: Timer + Clone,
    {
        let content_type = ResponseHead::from(&response).header("content-type").unwrap_or_default();
        match PartDecoder::from_content_type(content_type) {
            Ok(decoder) => Ok(response.map(|body| Parts::new(UntilError::new(body), decoder))),
            Err(_) => Err(response),
        }
    }
}

mod sealed {
    pub trait Sealed {}
}
