//! A line, or a part of one.

use core::fmt;

/// A line without its line end, or the part of it that its chunk contains; [`Lines`](super::Lines) yields it.
///
/// The enum is exhaustive on purpose: a line has no other parts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Piece<'c> {
    /// A line that is contained in a single chunk. A blank line is empty.
    Whole(&'c [u8]),
    /// The beginning of a line that goes on in the next chunk; never empty.
    ///
    /// In one case the line goes on in the same chunk: if the stream begins with one or two bytes that could be a
    /// byte order mark, and the next chunk shows that they are not. The two pieces then both come with the next
    /// chunk.
    Head(&'c [u8]),
    /// More of that line, which still goes on; never empty.
    Middle(&'c [u8]),
    /// The end of that line; empty if the chunk begins with the line end.
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
