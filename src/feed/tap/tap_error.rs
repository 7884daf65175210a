//! Responses that a tap cannot read.

use crate::feed::content_coding::content_codings;
use crate::feed::excerpt::Excerpt;
use crate::feed::media_type::MediaTypes;
use core::{error::Error, fmt};
use http::{
    HeaderMap, Response,
    header::{CONTENT_ENCODING, CONTENT_TYPE},
};

/// Why the events of a response cannot be read; [`Tap::from_response`](crate::Tap::from_response) returns it.
///
/// It has the response, so that a proxy can forward it unobserved. It prints the reason on one line, and no header of
/// the response except its media type and its content codings.
#[non_exhaustive]
pub enum TapError<B> {
    /// The response is not an event stream: it has another media type.
    NotEventStream(Response<B>),
    /// The body is compressed.
    ///
    /// A proxy that reads events must not forward the client's header `Accept-Encoding`, or it must decompress the
    /// body: see [Compressed streams](crate::recipes::compression#in-a-proxy).
    Compressed(Response<B>),
}

impl<B> TapError<B> {
    /// Returns the response as it was.
    pub fn into_response(self) -> Response<B> {
        let (TapError::NotEventStream(response) | TapError::Compressed(response)) = self;
        response
    }
}

impl<B> fmt::Display for TapError<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TapError::NotEventStream(response) => match media_type(response.headers()) {
                Some(media_type) => {
                    write!(f, "the response is not an event stream, but {}", Excerpt::new(media_type.as_bytes()))
                }
                None => f.write_str("the response is not an event stream: it has no valid content type"),
            },
            TapError::Compressed(response) => {
                f.write_str("the body is compressed with ")?;
                for (index, coding) in codings(response.headers()).enumerate() {
                    let separator = if index == 0 { "" } else { ", " };
                    write!(f, "{separator}{coding}")?;
                }
                f.write_str(
                    ", so its events cannot be read; send `Accept-Encoding: identity` to the server, or decompress \
                     the body first",
                )
            }
        }
    }
}

/// Prints the reason. A header may contain a secret.
impl<B> fmt::Debug for TapError<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TapError({self})")
    }
}

impl<B> Error for TapError<B> {}

pub(super) fn is_event_stream(headers: &HeaderMap) -> bool {
    media_type(headers).is_some_and(|media_type| media_type.eq_ignore_ascii_case("text/event-stream"))
}

fn media_type(headers: &HeaderMap) -> Option<&str> {
    let mut types = MediaTypes::default();
    headers.get_all(CONTENT_TYPE).iter().for_each(|value| types.push(value.as_bytes()));
    types.last_essence()
}

pub(super) fn codings(headers: &HeaderMap) -> impl Iterator<Item = &'static str> {
    headers.get_all(CONTENT_ENCODING).iter().flat_map(|value| content_codings(value.as_bytes()))
}
