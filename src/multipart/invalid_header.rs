//! What a header refuses.

/// Why a header cannot be written: CR, LF or NUL in it, or a name that is not one.
///
/// ```
/// use eventwire::multipart::{Headers, InvalidHeader};
///
/// let error = Headers::new().with("X-Note", "a\r\nb").unwrap_err();
/// assert_eq!(error.to_string(), "the value of a header has CR, LF or NUL at byte 1");
/// assert_eq!(Headers::new().with("X Note", "a").unwrap_err(), InvalidHeader::Name);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidHeader {
    /// The name is not a [token](https://www.rfc-editor.org/rfc/rfc9110#section-5.6.2).
    #[error("the name of a header is not a token")]
    Name,
    /// The value has CR, LF or NUL in it.
    #[error("the value of a header has CR, LF or NUL at byte {at}")]
    #[non_exhaustive]
    Value {
        /// Where, in bytes.
        at: usize,
    },
}
