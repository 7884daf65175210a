//! A line, or a part of one.

use core::fmt;

/// A line without its line end, or a part of a line that crosses a chunk boundary; [`Lines`](super::Lines) yields it.
///
/// No variant will be added: a line has no other parts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Piece<'c> {
    /// A line that is contained in a single chunk. A blank line is empty.
    Whole(&'c [u8]),
    /// The beginning of a line that continues in the next chunk; never empty.
    ///
    /// One exception: if the first chunk is only one or two bytes that could begin a byte order mark, it yields no
    /// piece. If the next chunk shows that they are text, that chunk yields them as a `Head`, followed by the rest of
    /// the line.
    Head(&'c [u8]),
    /// More of that line, which continues in the next chunk; never empty.
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
