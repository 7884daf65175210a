//! What a multipart stream says, borrowed.

use super::{HeadersRef, PartEnd};

/// What a multipart stream says at a time, borrowed from the chunk or the decoder.
///
/// In order: for each part `PartBegin`, any number of `Data`, `PartEnd`; and `Close` at the end, if the sender writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PieceRef<'a> {
    /// A part begins, with these headers.
    PartBegin(HeadersRef<'a>),
    /// Some of the part's body, at least one byte. Where a body is divided depends on the chunks.
    Data(&'a [u8]),
    /// The part is complete.
    PartEnd(PartEnd),
    /// The stream is complete. What follows is ignored.
    Close,
}
