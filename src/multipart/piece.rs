//! A piece of a multipart stream, owned.

use super::{Headers, PartEnd, PieceRef};
use bytes::Bytes;

/// A piece of a multipart stream: a part's headers, some of its body, its end, or the end of the stream.
///
/// It owns slices of the chunks; [`PieceRef`](super::PieceRef) is the borrowed form.
///
/// In order: for each part `PartBegin`, any number of `Data`, `PartEnd`; and `Close` at the end, if the sender writes it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Piece {
    /// A part begins, with these headers.
    PartBegin(Headers),
    /// Some of the part's body, at least one byte. Where a body is divided depends on the chunks.
    Data(Bytes),
    /// The part has ended. [`PartEnd`] says whether it is complete.
    PartEnd(PartEnd),
    /// The stream is complete. What follows is ignored.
    Close,
}

impl From<PieceRef<'_>> for Piece {
    /// A copy.
    fn from(piece: PieceRef<'_>) -> Piece {
        match piece {
            PieceRef::PartBegin(headers) => Piece::PartBegin(headers.into()),
            PieceRef::Data(data) => Piece::Data(Bytes::copy_from_slice(data)),
            PieceRef::PartEnd(end) => Piece::PartEnd(end),
            PieceRef::Close => Piece::Close,
        }
    }
}
