//! What a response is opened as.

use super::Opened;
use crate::{ResponseHead, Verdict};
use eventwire::Timer;
#[cfg(feature = "multipart")]
use eventwire_multipart::{PartDecoder, Parts};
use futures_core::Stream;
use http::Response;

/// What an [`Opening`](super::Opening) expects of a response, and what it makes of it. It is sealed.
pub trait Format: sealed::Sealed {
    /// What is opened: of a body `S`, with a timer `T`.
    type Opened<S, T: Timer>;

    /// Opens the response, or returns it if it does not have this format.
    #[doc(hidden)]
    fn open<S: Stream, T: Timer + Clone>(response: Response<S>, timer: &T) -> Result<Self::Opened<S, T>, Response<S>>;
}

/// A stream of events. It is opened as an [`Opened`].
#[derive(Clone, Copy, Debug)]
pub enum EventStreamFormat {}

impl sealed::Sealed for EventStreamFormat {}

impl Format for EventStreamFormat {
    type Opened<S, T: Timer> = Opened<S, T>;

    fn open<S: Stream, T: Timer + Clone>(response: Response<S>, timer: &T) -> Result<Opened<S, T>, Response<S>> {
        if Verdict::default_for(&ResponseHead::from(&response)) != Verdict::Open {
            return Err(response);
        }
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
    type Opened<S, T: Timer> = Response<Parts<S>>;

    fn open<S: Stream, T: Timer + Clone>(response: Response<S>, _: &T) -> Result<Self::Opened<S, T>, Response<S>> {
        match decoder(&ResponseHead::from(&response)) {
            Some(decoder) => Ok(response.map(|body| Parts::new(body, decoder))),
            None => Err(response),
        }
    }
}

#[cfg(feature = "multipart")]
fn decoder(head: &ResponseHead<'_>) -> Option<PartDecoder> {
    let content_type = head.header("content-type").filter(|_| head.status() == 200 && !head.is_encoded())?;
    PartDecoder::from_content_type(content_type).ok()
}

mod sealed {
    pub trait Sealed {}
}
