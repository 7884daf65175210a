//! Which part of its line a piece is.

use super::{Piece, Scanned};

/// The variants of [`Piece`] without the bytes.
///
/// It has the size of a word, for the same reason for which [`Scanned`] has no padding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub(crate) enum Part {
    /// A complete line. A blank line is empty.
    Line,
    Head,
    Middle,
    Tail,
}

impl Part {
    #[inline(always)]
    pub(super) fn piece(self, text: Scanned<'_>) -> Piece<'_> {
        match self {
            Part::Line => Piece::Whole(text.bytes()),
            Part::Head => Piece::Head(text.bytes()),
            Part::Middle => Piece::Middle(text.bytes()),
            Part::Tail => Piece::Tail(text.bytes()),
        }
    }
}
