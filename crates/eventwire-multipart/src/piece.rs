//! A piece of a multipart stream, owned.

use super::{Headers, PartEnd, PieceRef};
use bytes::Bytes;

/// A piece of a multipart stream, owned: a part's headers, some bytes of its body, its end, or the end of the stream.
///
/// Its bytes are a slice of the chunk that they arrived in, and **keep the complete chunk in memory**.
/// [`PieceRef`](super::PieceRef) is the borrowed form.
///
/// The order is `PartBegin`, any number of `Data`, and `PartEnd` for each part, then `Close` if the sender writes a
/// close delimiter.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Piece {
    /// A part begins. It has these headers.
    PartBegin(Headers),
    /// Some bytes of the part's body, at least one. The division of a body into pieces depends on the chunks.
    Data(Bytes),
    /// The part has ended. [`PartEnd`] describes whether it is complete.
    PartEnd(PartEnd),
    /// The stream ended with a close delimiter. Any bytes after it are ignored.
    Close,
}

impl From<PieceRef<'_>> for Piece {
    /// Copies the bytes.
    fn from(piece: PieceRef<'_>) -> Piece {
        match piece {
            PieceRef::PartBegin(headers) => Piece::PartBegin(headers.into()),
            PieceRef::Data(data) => Piece::Data(Bytes::copy_from_slice(data)),
            PieceRef::PartEnd(end) => Piece::PartEnd(end),
            PieceRef::Close => Piece::Close,
        }
    }
}
