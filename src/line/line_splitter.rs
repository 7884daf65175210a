//! From a byte stream to its lines.

use super::{Lines, Walk, edge::Edge};

/// Splits a byte stream into lines at CR LF, LF and CR, as [the standard's grammar] says.
///
/// Chunks may be cut anywhere, between CR and LF and inside the byte order mark too: the lines are the same. A
/// CR ends its line at once; an LF right after it, even in a later chunk, is passed over. One byte order mark at the
/// very start of the stream is dropped. The splitter holds no bytes of the stream: it lends them from the chunk.
///
/// ```
/// use eventwire::line::{LineSplitter, Piece};
///
/// let mut splitter = LineSplitter::new();
/// let mut lines = splitter.lines(b"\xEF\xBB\xBFone\r\n\ntw");
/// assert_eq!(lines.next(), Some(Piece::Whole(b"one")));
/// assert_eq!(lines.next(), Some(Piece::Whole(b"")));
/// assert_eq!(lines.next(), Some(Piece::Head(b"tw")));
/// assert_eq!(lines.next(), None);
/// assert!(splitter.lines(b"o\r").eq([Piece::Tail(b"o")]));
/// assert!(splitter.lines(b"\nthree\n").eq([Piece::Whole(b"three")]));
/// ```
///
/// [the standard's grammar]: https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
#[derive(Clone, Debug)]
pub struct LineSplitter {
    edge: Edge,
}

impl LineSplitter {
    /// A splitter at the start of a stream, where a byte order mark may come.
    #[must_use]
    pub const fn new() -> LineSplitter {
        LineSplitter { edge: Edge::StreamStart }
    }

    /// A splitter at the start of a line that is not the stream's first, where a byte order mark is text.
    ///
    /// Use it to split a part of a stream by itself, such as one block.
    ///
    /// ```
    /// use eventwire::line::{LineSplitter, Piece};
    ///
    /// let line = "\u{FEFF}data: 1\n".as_bytes();
    /// assert!(LineSplitter::new().lines(line).eq([Piece::Whole(b"data: 1")]));
    /// assert!(LineSplitter::within_stream().lines(line).eq([Piece::Whole("\u{FEFF}data: 1".as_bytes())]));
    /// ```
    #[inline]
    #[must_use]
    pub const fn within_stream() -> LineSplitter {
        LineSplitter { edge: Edge::Start }
    }

    /// Splits the next chunk of the stream.
    ///
    /// The returned iterator takes in the chunk as it goes. One that is dropped early has not seen the bytes
    /// that [`Lines::rest`] would have given; the next chunk has to begin with them.
    #[inline]
    pub fn lines<'s, 'c>(&'s mut self, chunk: &'c [u8]) -> Lines<'s, 'c> {
        Lines::new(&mut self.edge, chunk)
    }

    /// The same for the decoder, which says by [`leave`](LineSplitter::leave) how far it came.
    ///
    /// An LF at the start of the chunk that belongs to the CR before it is passed at once.
    #[inline]
    pub(crate) fn walk<'c>(&mut self, mut chunk: &'c [u8]) -> Walk<'c> {
        if self.edge == Edge::AfterCr
            && let [first, rest @ ..] = chunk
        {
            self.edge = Edge::Start;
            if *first == b'\n' {
                chunk = rest;
            }
        }
        Walk::new(self.edge, chunk)
    }

    /// Ends a walk. Gives the bytes that it has not passed, with which the next one has to begin.
    #[inline]
    pub(crate) fn leave<'c>(&mut self, walk: &Walk<'c>) -> &'c [u8] {
        self.edge = walk.edge();
        walk.rest()
    }

    /// Whether the bytes so far end inside a line, that is, whether a line has begun and has not ended.
    ///
    /// The first one or two bytes of a byte order mark count as a line that has begun. A stream that ends after them ends
    /// without a piece for them.
    #[must_use]
    pub const fn is_within_line(&self) -> bool {
        matches!(self.edge, Edge::Within | Edge::Bom1 | Edge::Bom2)
    }

    /// How many bytes of a byte order mark the stream has begun with, if nothing else is there.
    pub(super) fn bom_bytes(&self) -> usize {
        self.edge.bom_bytes()
    }
}

impl Default for LineSplitter {
    fn default() -> LineSplitter {
        LineSplitter::new()
    }
}
