//! The error for an invalid header.

/// The error of [`Headers::with`](super::Headers::with): the name is not a token, or the value contains CR, LF or NUL.
///
/// A received line that breaks the same rule is not a header; see [`HeadersRef`](super::HeadersRef).
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
        if !is_token(name) {
            return Err(InvalidHeader::Name);
        }
        match value.iter().position(|byte| matches!(byte, b'\r' | b'\n' | 0)) {
            Some(at) => Err(InvalidHeader::Value { at }),
            None => Ok(()),
        }
    }
}

/// Whether a text is a [token](https://www.rfc-editor.org/rfc/rfc9110#section-5.6.2).
pub(super) fn is_token(text: &[u8]) -> bool {
    let is_allowed = |byte: &u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(byte);
    !text.is_empty() && text.iter().all(is_allowed)
}
