//! What a response is opened as.

#[cfg(feature = "multipart")]
use crate::open::until_error::UntilError;
use crate::{
    open::opened::Opened,
    reconnect::{response_head::ResponseHead, verdict::Verdict},
};
use alloc::string::String;
#[cfg(feature = "multipart")]
use alloc::string::ToString;
use bytes::Bytes;
use eventwire::Timer;
#[cfg(feature = "multipart")]
use eventwire_multipart::{InvalidBoundary, PartDecoder, Parts};
use futures_core::Stream;
use http::Response;

/// Decides whether to open a response.
pub(super) type Check = fn(&ResponseHead<'_>) -> bool;

/// Opens a response as an `O` if it has that format and passes the check of the caller, or the default one.
pub(super) type Open<S, T, O> = fn(Response<S>, &T, Option<Check>) -> Result<O, NotOpened<S>>;

/// A response of another format.
pub(super) struct NotOpened<S> {
    pub(super) response: Response<S>,
    /// What is wrong with a content type that would be the right one, for the error message.
    pub(super) problem: Option<String>,
}

/// Returns whether the response is a stream of events.
pub(super) fn is_event_stream(head: &ResponseHead<'_>) -> bool {
    Verdict::default_for(head) == Verdict::Open
}

/// Opens a stream of events.
pub(super) fn events<S, B, E, T>(
    response: Response<S>,
    timer: &T,
    check: Option<Check>,
) -> Result<Opened<S, T>, NotOpened<S>>
where
    S: Stream<Item = Result<B, E>>,
    B: Into<Bytes>,
    T: Timer + Clone,
{
    match check.unwrap_or(is_event_stream)(&ResponseHead::from(&response)) {
        true => Ok(Opened::new(response, timer.clone())),
        false => Err(NotOpened { response, problem: None }),
    }
}

/// What [`Opening::parts`](crate::Opening::parts) opens: a response whose body is its parts.
#[cfg(feature = "multipart")]
pub type OpenedParts<S> = Response<Parts<UntilError<S>>>;

/// Opens the parts of a `multipart`.
#[cfg(feature = "multipart")]
pub(super) fn parts<S, T>(response: Response<S>, _: &T, check: Option<Check>) -> Result<OpenedParts<S>, NotOpened<S>> {
    let head = ResponseHead::from(&response);
    let is_accepted = check.unwrap_or(|head| head.status() == 200 && !head.is_encoded())(&head);
    match PartDecoder::from_content_type(head.header("content-type").unwrap_or_default()) {
        Ok(decoder) if is_accepted => Ok(response.map(|body| Parts::new(UntilError::new(body), decoder))),
        Ok(_) | Err(InvalidBoundary::NotMultipart) => Err(NotOpened { response, problem: None }),
        Err(error) => {
            let problem = Some(error.to_string());
            Err(NotOpened { response, problem })
        }
    }
}
