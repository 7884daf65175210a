//! The error for an invalid boundary.

/// The error for a [`Boundary`](super::Boundary) that is missing or invalid, or that a stream cannot be written with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidBoundary {
    /// The `Content-Type` is missing or is not `multipart/*`.
    #[error("the content type is missing or not multipart")]
    NotMultipart,
    /// The `Content-Type` has no `boundary` parameter. [`PartDecoder::sniffing`](super::PartDecoder::sniffing)
    /// takes the boundary from the body; for GraphQL servers use [`Boundary::new("-")`](super::Boundary::new).
    #[error("the content type has no boundary parameter")]
    Missing,
    /// The boundary is empty.
    #[error("the boundary is empty")]
    Empty,
    /// The boundary is too long. The limit is 200 bytes for reading and 70 bytes for writing.
    #[error("the boundary has {len} bytes; the limit is {max}")]
    #[non_exhaustive]
    TooLong {
        /// The length of the boundary in bytes.
        len: usize,
        /// The limit in bytes.
        max: usize,
    },
    /// The boundary contains a byte that is not allowed. For reading, these are CR and LF; for writing, all bytes
    /// that [RFC 2046](https://www.rfc-editor.org/rfc/rfc2046#section-5.1.1) does not allow.
    #[error("the boundary contains the byte 0x{byte:02x} at position {at}, which is not allowed")]
    #[non_exhaustive]
    Byte {
        /// The byte.
        byte: u8,
        /// The offset of the byte in the boundary, in bytes.
        at: usize,
    },
}
