//! What is wrong with a boundary.

/// Why a [`Boundary`](super::Boundary) is invalid, or cannot be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidBoundary {
    /// The `Content-Type` is missing or is not `multipart/*`.
    #[error("the content type is missing or not multipart")]
    NotMultipart,
    /// The `Content-Type` has no `boundary` parameter. [`PartDecoder::sniffing`](super::PartDecoder::sniffing) takes the boundary
    /// from the body; for GraphQL servers use [`Boundary::new("-")`](super::Boundary::new).
    #[error("the content type has no boundary parameter")]
    Missing,
    /// The boundary is empty.
    #[error("the boundary is empty")]
    Empty,
    /// The boundary is too long: the limit is 200 bytes for reading, 70 for writing.
    #[error("the boundary has {len} bytes; the limit is {max}")]
    #[non_exhaustive]
    TooLong {
        /// Its length in bytes.
        len: usize,
        /// The longest that is accepted, in bytes.
        max: usize,
    },
    /// The boundary contains a byte that is not allowed: for reading, CR or LF; for writing, any byte that
    /// [RFC 2046](https://www.rfc-editor.org/rfc/rfc2046#section-5.1.1) does not allow.
    #[error("the boundary contains the byte 0x{byte:02x} at position {at}, which is not allowed")]
    #[non_exhaustive]
    Byte {
        /// The byte.
        byte: u8,
        /// Its offset in the boundary, in bytes.
        at: usize,
    },
}
