//! A piece of a multipart stream, borrowed.

use super::{HeadersRef, PartEnd};

/// A piece of a multipart stream, borrowed from the chunk or the decoder. [`Piece`](super::Piece) is the owned form.
///
/// The order is `PartBegin`, any number of `Data`, and `PartEnd` for each part, then `Close` if the sender writes a
/// close delimiter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PieceRef<'a> {
    /// A part begins. It has these headers.
    PartBegin(HeadersRef<'a>),
    /// Some bytes of the part's body, at least one. The division of a body into pieces depends on the chunks.
    Data(&'a [u8]),
    /// The part has ended. [`PartEnd`] describes whether it is complete.
    PartEnd(PartEnd),
    /// The stream ended with a close delimiter. Any bytes after it are ignored.
    Close,
}
