//! A response that is not an event stream.

use crate::client::ResponseHead;
use alloc::{borrow::Cow, string::String, vec::Vec};
use core::fmt;
use http::{HeaderMap, Response, StatusCode, header};

/// How much of a refusal's body is kept, in bytes. Error messages are shorter.
const MAX_BODY: usize = 16 * 1024;

/// A response that is not an event stream: its status, its headers, and the beginning of its body.
///
/// Up to 16 KiB of the body are read, for at most five seconds. A 204 has none.
#[derive(Debug)]
pub struct Refusal {
    response: Response<()>,
    body: Vec<u8>,
}

impl Refusal {
    pub(super) const DEFAULT_MAX_BODY: usize = MAX_BODY;

    pub(super) fn new(response: Response<()>) -> Refusal {
        Refusal { response, body: Vec::new() }
    }

    /// Keeps what there is room for, and says whether there is room for more.
    pub(super) fn take_in(&mut self, chunk: &[u8]) -> bool {
        let room = MAX_BODY - self.body.len();
        self.body.extend_from_slice(&chunk[..room.min(chunk.len())]);
        self.body.len() < MAX_BODY
    }

    /// The status.
    #[must_use]
    pub fn status(&self) -> StatusCode {
        self.response.status()
    }

    /// The headers.
    #[must_use]
    pub fn headers(&self) -> &HeaderMap {
        self.response.headers()
    }

    /// The head of the response: status, headers, version and extensions.
    #[must_use]
    pub fn response(&self) -> &Response<()> {
        &self.response
    }

    /// The beginning of the body.
    #[must_use]
    pub fn body(&self) -> &[u8] {
        &self.body
    }

    /// The beginning of the body, owned.
    #[must_use]
    pub fn into_body(self) -> Vec<u8> {
        self.body
    }

    /// The beginning of the body as text, with U+FFFD where it is not UTF-8.
    #[must_use]
    pub fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.body)
    }
}

/// Why it is not an event stream. Nothing of the body is printed, since it may be anything.
impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.status() != StatusCode::OK {
            return write!(f, "the server answered {}", self.status());
        }
        let head = ResponseHead::from(&self.response);
        match self.headers().get(header::CONTENT_TYPE) {
            None => f.write_str("the server answered without a content type"),
            Some(_) if head.is_event_stream() && head.is_encoded() => {
                f.write_str("the server answered in a content coding that the HTTP client has not decoded")
            }
            Some(found) => write!(f, "the server answered with the content type {found:?}"),
        }
    }
}

impl core::error::Error for Refusal {}
