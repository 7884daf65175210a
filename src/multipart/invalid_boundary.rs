//! What is wrong with a boundary.

/// Why a [`Boundary`](super::Boundary) cannot be made, or not be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidBoundary {
    /// The `Content-Type` names another type.
    #[error("the content type is not multipart")]
    NotMultipart,
    /// The `Content-Type` has no `boundary` parameter. [`PartDecoder::sniffing`](super::PartDecoder::sniffing) takes the boundary
    /// from the body, [`Boundary::new("-")`](super::Boundary::new) is what GraphQL servers mean.
    #[error("the content type has no boundary parameter")]
    Missing,
    /// It has no bytes.
    #[error("the boundary is empty")]
    Empty,
    /// It is longer than a boundary may be: 200 bytes to be read, 70 to be written.
    #[error("the boundary has {len} bytes, and {max} is the limit")]
    #[non_exhaustive]
    TooLong {
        /// Its length in bytes.
        len: usize,
        /// The longest that is accepted, in bytes.
        max: usize,
    },
    /// It contains a byte that a boundary cannot have: to be read, CR or LF; to be written, all but those of
    /// [RFC 2046](https://www.rfc-editor.org/rfc/rfc2046#section-5.1.1).
    #[error("the boundary has the byte 0x{byte:02x} at position {at}, which is not allowed")]
    #[non_exhaustive]
    Byte {
        /// The byte.
        byte: u8,
        /// Its offset in the boundary, in bytes.
        at: usize,
    },
}
