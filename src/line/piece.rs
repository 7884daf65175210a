//! A line, or a part of one.

use core::fmt;

/// A line, or as much of one as its chunk holds, without its line end.
///
/// It is exhaustive on purpose: there are no other parts of a line.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Piece<'c> {
    /// A line that lies whole in the chunk; an empty one is a blank line.
    Whole(&'c [u8]),
    /// The beginning of a line that goes on in the next piece, of the next chunk; never empty.
    ///
    /// (In one case that piece is of the same chunk: where a stream begins with one or two bytes of a byte order mark in a
    /// chunk of their own, and goes on otherwise. They are given with the chunk that tells.)
    Head(&'c [u8]),
    /// More of that line, which goes on still; never empty.
    Middle(&'c [u8]),
    /// The end of that line; empty where the chunk begins with the line's end.
    Tail(&'c [u8]),
}

impl fmt::Debug for Piece<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, bytes) = match self {
            Piece::Whole(bytes) => ("Whole", bytes),
            Piece::Head(bytes) => ("Head", bytes),
            Piece::Middle(bytes) => ("Middle", bytes),
            Piece::Tail(bytes) => ("Tail", bytes),
        };
        write!(f, "{name}(b\"{}\")", bytes.escape_ascii())
    }
}
