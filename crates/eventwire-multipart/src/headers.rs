//! The headers of a part, owned.

use super::{HeadersRef, MediaType};
use bytes::{BufMut, Bytes, BytesMut};

/// The headers of a part, owned. [`as_ref`](Headers::as_ref) returns the borrowed form, [`HeadersRef`], which has
/// more methods.
///
/// In a [`Piece`](super::Piece) they are a slice of the chunk that they arrived in, and **keep that chunk in memory**.
/// `Headers::from(headers.as_ref())` is a copy.
///
/// ```
/// use eventwire_multipart::Headers;
///
/// let headers = Headers::new().with("Content-Type", "text/plain")?.with("X-Role", "user")?;
/// assert_eq!(headers.get("x-role"), Some(&b"user"[..]));
/// assert_eq!(headers.as_ref().as_bytes(), b"Content-Type: text/plain\r\nX-Role: user\r\n");
/// # Ok::<(), eventwire_multipart::InvalidHeader>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Headers(Bytes);

impl Headers {
    /// Creates an empty list of headers.
    #[must_use]
    pub fn new() -> Headers {
        Headers::default()
    }

    pub(super) fn decoded(block: Bytes) -> Headers {
        Headers(block)
    }

    /// Returns the headers with one more header at the end. It accepts every header that
    /// [`iter`](HeadersRef::iter) returns.
    ///
    /// # Errors
    ///
    /// If the name is not a [token](https://www.rfc-editor.org/rfc/rfc9110#section-5.6.2), or if the value contains
    /// CR, LF or NUL, which could inject another header.
    pub fn with(self, name: &str, value: impl AsRef<[u8]>) -> Result<Headers, InvalidHeader> {
        let value = value.as_ref();
        InvalidHeader::check(name.as_bytes(), value)?;
        Ok(self.with_valid(name, value))
    }

    /// Adds a header whose name and value are known to be valid.
    pub(super) fn with_valid(self, name: &str, value: &[u8]) -> Headers {
        let mut block = BytesMut::from(self.0);
        put_line(&mut block, name, value);
        Headers(block.freeze())
    }

    /// Returns the headers, borrowed.
    #[must_use]
    pub fn as_ref(&self) -> HeadersRef<'_> {
        HeadersRef::new(&self.0)
    }

    /// Returns the value of the first header with this name; see [`HeadersRef::get`].
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&[u8]> {
        self.as_ref().get(name)
    }

    /// Returns the media type from the `Content-Type` header; see [`HeadersRef::media_type`].
    #[must_use]
    pub fn media_type(&self) -> Option<MediaType<'_>> {
        self.as_ref().media_type()
    }
}

/// Writes a header whose name and value are known to be valid.
pub(super) fn put_line(buf: &mut impl BufMut, name: &str, value: &[u8]) {
    for text in [name.as_bytes(), b": ", value, b"\r\n"] {
        buf.put_slice(text);
    }
}

impl From<HeadersRef<'_>> for Headers {
    /// Copies the headers.
    fn from(headers: HeadersRef<'_>) -> Headers {
        Headers(Bytes::copy_from_slice(headers.as_bytes()))
    }
}

/// The error of [`Headers::with`]: the name is not a token, or the value contains CR, LF or NUL.
///
/// A received line that breaks the same rule is not a header; see [`HeadersRef`].
///
/// ```
/// use eventwire_multipart::{Headers, InvalidHeader};
///
/// let error = Headers::new().with("X-Note", "a\r\nb").unwrap_err();
/// assert_eq!(error.to_string(), "a header value contains CR, LF or NUL at byte 1");
/// assert_eq!(Headers::new().with("X Note", "a").unwrap_err(), InvalidHeader::Name);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidHeader {
    /// The name is not a [token](https://www.rfc-editor.org/rfc/rfc9110#section-5.6.2).
    #[error("a header name is empty or contains a character that is not allowed")]
    Name,
    /// The value contains CR, LF or NUL.
    #[error("a header value contains CR, LF or NUL at byte {at}")]
    #[non_exhaustive]
    Value {
        /// The offset of the byte in the value, in bytes.
        at: usize,
    },
}

impl InvalidHeader {
    /// The rule for headers. Reading and writing share it: each received header can be written, and no other line can.
    /// A line that was repaired could become a length, or a header that other readers obey.
    pub(super) fn check(name: &[u8], value: &[u8]) -> Result<(), InvalidHeader> {
        // A token; see RFC 9110, section 5.6.2.
        let is_allowed = |byte: &u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(byte);
        if name.is_empty() || !name.iter().all(is_allowed) {
            return Err(InvalidHeader::Name);
        }
        match value.iter().position(|byte| matches!(byte, b'\r' | b'\n' | 0)) {
            Some(at) => Err(InvalidHeader::Value { at }),
            None => Ok(()),
        }
    }
}
