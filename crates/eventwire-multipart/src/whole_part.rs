//! A complete part.

use super::{Headers, HeadersRef, InvalidHeader, MediaType};
use alloc::format;
use bytes::Bytes;
use core::str::{self, Utf8Error};

/// A part with its complete body: [`Collected`](super::Collected) returns it, and
/// [`PartEncoder`](super::PartEncoder) writes it.
///
/// The body of a received part is copied if it has less than 4 KiB, if it is less than a quarter of the chunk that it
/// arrived in, or if it arrived in several chunks. Any other body is a slice of its chunk, and **keeps the complete
/// chunk in memory** until you drop the part.
///
/// ```
/// use eventwire_multipart::WholePart;
///
/// let part = WholePart::new("text/plain; charset=utf-8", "Hello")?
///     .with_header("X-Role", "assistant")?;
/// assert!(part.media_type().unwrap().is("text/plain"));
/// assert_eq!(part.headers().get("content-length"), Some(&b"5"[..]));
/// assert_eq!(part.text().unwrap(), "Hello");
/// # Ok::<(), eventwire_multipart::InvalidHeader>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WholePart {
    headers: Headers,
    body: Bytes,
}

impl WholePart {
    /// Creates a part with this `Content-Type` and the `Content-Length` of the body.
    ///
    /// # Errors
    ///
    /// If the content type contains CR, LF or NUL.
    pub fn new(content_type: &str, body: impl Into<Bytes>) -> Result<WholePart, InvalidHeader> {
        let body = body.into();
        let headers = Headers::new().with("Content-Type", content_type)?;
        let headers = headers.with_valid("Content-Length", format!("{}", body.len()).as_bytes());
        Ok(WholePart::from_headers(headers, body))
    }

    /// Creates a part with these headers. `Content-Length` is added when the part is written.
    pub fn from_headers(headers: Headers, body: impl Into<Bytes>) -> WholePart {
        WholePart { headers, body: body.into() }
    }

    /// Returns the part with one more header.
    ///
    /// # Errors
    ///
    /// If the name is not a [token](https://www.rfc-editor.org/rfc/rfc9110#section-5.6.2), or if the value contains
    /// CR, LF or NUL.
    pub fn with_header(self, name: &str, value: impl AsRef<[u8]>) -> Result<WholePart, InvalidHeader> {
        Ok(WholePart { headers: self.headers.with(name, value)?, body: self.body })
    }

    /// Returns the headers.
    #[must_use]
    pub fn headers(&self) -> HeadersRef<'_> {
        self.headers.as_ref()
    }

    /// Returns the media type from the `Content-Type` header; `None` without that header.
    #[must_use]
    pub fn media_type(&self) -> Option<MediaType<'_>> {
        self.headers.media_type()
    }

    /// Returns a reference to the body.
    #[must_use]
    pub fn body(&self) -> &Bytes {
        &self.body
    }

    /// Returns the body as text.
    ///
    /// # Errors
    ///
    /// If the body is not UTF-8. Other charsets are not decoded.
    pub fn text(&self) -> Result<&str, Utf8Error> {
        str::from_utf8(&self.body)
    }

    /// Returns the body.
    #[must_use]
    pub fn into_body(self) -> Bytes {
        self.body
    }
}
