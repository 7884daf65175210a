//! What a response is opened as.

#[cfg(feature = "json")]
use crate::open::opened_lines::OpenedLines;
#[cfg(feature = "multipart")]
use crate::open::until_error::UntilError;
use crate::{
    open::opened::Opened,
    reconnect::{response_head::ResponseHead, verdict::Verdict},
    unexpected_response::Expected,
};
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
pub(super) type Open<S, T, O> = fn(Response<S>, &T, Option<Check>) -> Checked<S, O>;

/// A response that has been checked.
pub(super) enum Checked<S, O> {
    Opened(O),
    /// It has another format than this one.
    Unexpected {
        response: Response<S>,
        expected: Expected,
    },
}

/// Returns whether the response is a stream of events.
pub(super) fn is_event_stream(head: &ResponseHead<'_>) -> bool {
    Verdict::default_for(head) == Verdict::Open
}

/// Opens a stream of events.
pub(super) fn events<S, B, E, T>(response: Response<S>, timer: &T, check: Option<Check>) -> Checked<S, Opened<S, T>>
where
    S: Stream<Item = Result<B, E>>,
    B: Into<Bytes>,
    T: Timer + Clone,
{
    match check.unwrap_or(is_event_stream)(&ResponseHead::from(&response)) {
        true => Checked::Opened(Opened::new(response, timer.clone())),
        false => Checked::Unexpected { response, expected: Expected::Events },
    }
}

/// Opens lines of JSON.
#[cfg(feature = "json")]
pub(super) fn lines<S, B, E, T>(response: Response<S>, timer: &T, check: Option<Check>) -> Checked<S, OpenedLines<S, T>>
where
    S: Stream<Item = Result<B, E>>,
    B: Into<Bytes>,
    T: Timer + Clone,
{
    let check = check.unwrap_or(|head| head.status() == 200 && head.may_be_json_lines() && !head.is_encoded());
    match check(&ResponseHead::from(&response)) {
        true => Checked::Opened(OpenedLines::new(Opened::new(response, timer.clone()))),
        false => Checked::Unexpected { response, expected: Expected::JsonLines },
    }
}

/// What [`Opening::parts`](crate::Opening::parts) opens: a response whose body is its parts.
#[cfg(feature = "multipart")]
pub type OpenedParts<S> = Response<Parts<UntilError<S>>>;

/// Opens the parts of a `multipart`.
#[cfg(feature = "multipart")]
pub(super) fn parts<S, T>(response: Response<S>, _: &T, check: Option<Check>) -> Checked<S, OpenedParts<S>> {
    let head = ResponseHead::from(&response);
    let is_accepted = check.unwrap_or(|head| head.status() == 200 && !head.is_encoded())(&head);
    match PartDecoder::from_content_type(head.header("content-type").unwrap_or_default()) {
        Ok(decoder) if is_accepted => Checked::Opened(response.map(|body| Parts::new(UntilError::new(body), decoder))),
        Ok(_) | Err(InvalidBoundary::NotMultipart) => {
            Checked::Unexpected { response, expected: Expected::Parts { problem: None } }
        }
        Err(error) => {
            let expected = Expected::Parts { problem: Some(error.to_string()) };
            Checked::Unexpected { response, expected }
        }
    }
}
