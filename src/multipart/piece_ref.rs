//! A piece of a multipart stream, borrowed.

use super::{HeadersRef, PartEnd};

/// A piece of a multipart stream, borrowed from the chunk or the decoder; [`Piece`](super::Piece) is the owned form.
///
/// In order: for each part `PartBegin`, any number of `Data`, `PartEnd`; and `Close` at the end, if the sender writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PieceRef<'a> {
    /// A part begins, with these headers.
    PartBegin(HeadersRef<'a>),
    /// Some of the part's body, at least one byte. Where a body is divided depends on the chunks.
    Data(&'a [u8]),
    /// The part has ended. [`PartEnd`] says whether it is complete.
    PartEnd(PartEnd),
    /// The stream is complete. What follows is ignored.
    Close,
}
