//! The pieces of a multipart stream.

use super::{Headers, HeadersRef};
use bytes::Bytes;

/// A piece of a multipart stream, owned: a part's headers, some bytes of its body, its end, or the end of the stream.
///
/// Its bytes are a slice of the chunk that they arrived in, and **keep the complete chunk in memory**. [`PieceRef`] is
/// the borrowed form.
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

/// A [`Piece`] of a multipart stream, borrowed from the chunk or the decoder.
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

/// How a part ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PartEnd {
    /// At a delimiter. The part has no valid `Content-Length`.
    Delimiter,
    /// With the last byte of its `Content-Length`.
    Length,
    /// At a delimiter before the end of its `Content-Length`: the length is wrong, or data is missing.
    DelimiterBeforeLength,
    /// At the end of the stream, before a delimiter or the end of its length. Data may be missing.
    EndOfStream,
}

impl PartEnd {
    /// Returns whether the part is complete: it ended at a delimiter, and not before the end of its `Content-Length`.
    ///
    /// A part that is not complete is truncated. [`Part`](super::Part) and [`Collected`](super::Collected) return an
    /// error for it, and `PartBody` does not send it.
    ///
    /// ```
    /// use eventwire_multipart::PartEnd;
    ///
    /// assert!(PartEnd::Delimiter.is_complete() && PartEnd::Length.is_complete());
    /// assert!(
    ///     !PartEnd::DelimiterBeforeLength.is_complete() && !PartEnd::EndOfStream.is_complete()
    /// );
    /// ```
    #[must_use]
    pub fn is_complete(self) -> bool {
        match self {
            PartEnd::Delimiter | PartEnd::Length => true,
            PartEnd::DelimiterBeforeLength | PartEnd::EndOfStream => false,
        }
    }
}
