//! The headers of a part, owned.

use super::{HeadersRef, InvalidHeader, MediaType};
use bytes::{BufMut, Bytes, BytesMut};

/// The headers of a part, owned. [`as_ref`](Headers::as_ref) returns the borrowed form, [`HeadersRef`], which has
/// more methods.
///
/// ```
/// use eventwire::multipart::Headers;
///
/// let headers = Headers::new().with("Content-Type", "text/plain")?.with("X-Role", "user")?;
/// assert_eq!(headers.get("x-role"), Some(&b"user"[..]));
/// assert_eq!(headers.as_ref().as_bytes(), b"Content-Type: text/plain\r\nX-Role: user\r\n");
/// # Ok::<(), eventwire::multipart::InvalidHeader>(())
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

    /// Returns the headers with one more header at the end.
    ///
    /// # Errors
    ///
    /// If the name is not a [token](https://www.rfc-editor.org/rfc/rfc9110#section-5.6.2), or if the value contains
    /// CR, LF or NUL, which could inject another header.
    pub fn with(self, name: &str, value: impl AsRef<[u8]>) -> Result<Headers, InvalidHeader> {
        let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
        if name.is_empty() || !name.bytes().all(is_token) {
            return Err(InvalidHeader::Name);
        }
        let value = value.as_ref();
        if let Some(at) = value.iter().position(|byte| matches!(byte, b'\r' | b'\n' | 0)) {
            return Err(InvalidHeader::Value { at });
        }
        Ok(self.with_valid(name, value))
    }

    /// Adds a header whose name and value are known to be valid.
    pub(super) fn with_valid(self, name: &str, value: &[u8]) -> Headers {
        let mut block = BytesMut::from(self.0);
        // A decoded block may lack the last line end.
        if !block.is_empty() && !block.ends_with(b"\n") {
            block.put_slice(b"\r\n");
        }
        for text in [name.as_bytes(), b": ", value, b"\r\n"] {
            block.put_slice(text);
        }
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

impl From<HeadersRef<'_>> for Headers {
    /// Copies the headers.
    fn from(headers: HeadersRef<'_>) -> Headers {
        Headers(Bytes::copy_from_slice(headers.as_bytes()))
    }
}
