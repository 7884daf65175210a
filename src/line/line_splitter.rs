//! Splits a byte stream into lines.

use super::{
    Lines, Walk,
    edge::{self, BOM, Edge},
};

/// Splits a byte stream into lines at CR LF, LF and CR, as [the standard's grammar] defines them.
///
/// The lines are the same however the bytes are split into chunks, even between CR and LF or inside the byte order
/// mark. A CR ends its line immediately. An LF right after it is skipped, even in a later chunk. One byte order mark
/// at the very start of the stream is dropped. The splitter stores no bytes of the stream: its pieces borrow from
/// the chunk.
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
    /// Creates a splitter for the start of a stream, where a byte order mark is dropped.
    #[must_use]
    pub const fn new() -> LineSplitter {
        LineSplitter { edge: Edge::StreamStart }
    }

    /// Creates a splitter for the start of a line within a stream, where a byte order mark is text.
    ///
    /// Use it to split a part of a stream separately, such as one block.
    ///
    /// ```
    /// use eventwire::line::{LineSplitter, Piece};
    ///
    /// let line = "\u{FEFF}data: 1\n".as_bytes();
    /// assert!(LineSplitter::new().lines(line).eq([Piece::Whole(b"data: 1")]));
    /// assert!(
    ///     LineSplitter::within_stream()
    ///         .lines(line)
    ///         .eq([Piece::Whole("\u{FEFF}data: 1".as_bytes())])
    /// );
    /// ```
    #[inline]
    #[must_use]
    pub const fn within_stream() -> LineSplitter {
        LineSplitter { edge: Edge::Start }
    }

    /// Splits the next chunk of the stream.
    ///
    /// The returned iterator is lazy. If you stop before its end, [`Lines::rest`] returns the unread bytes, and the
    /// next chunk that you pass must begin with them.
    #[inline]
    pub fn lines<'s, 'c>(&'s mut self, chunk: &'c [u8]) -> Lines<'s, 'c> {
        Lines::new(&mut self.edge, chunk)
    }

    /// Begins a walk for the decoder, which calls [`leave`](LineSplitter::leave) to report how far it got.
    ///
    /// An LF at the start of the chunk is skipped if it belongs to a CR before it, and counted.
    #[inline]
    pub(crate) fn walk<'c>(&mut self, mut chunk: &'c [u8], bytes_read: &mut u64) -> Walk<'c> {
        if self.edge == Edge::AfterCr
            && let [first, rest @ ..] = chunk
        {
            self.edge = Edge::Start;
            if *first == b'\n' {
                *bytes_read += 1;
                chunk = rest;
            }
        }
        Walk::new(self.edge, chunk)
    }

    /// Ends a walk. Returns the bytes that it has not passed. The next walk has to begin with them.
    #[inline]
    pub(crate) fn leave<'c>(&mut self, walk: &Walk<'c>) -> &'c [u8] {
        self.edge = walk.edge();
        walk.rest()
    }

    /// Passes the byte order mark at the start of the stream, or the part of it that the chunk contains. Returns
    /// whether the stream begins here: the mark is complete, or there is none.
    #[inline]
    pub(crate) fn pass_stream_start(&mut self, chunk: &mut &[u8]) -> bool {
        if !matches!(self.edge, Edge::StreamStart | Edge::Bom1 | Edge::Bom2) || chunk.is_empty() {
            return false;
        }
        let (edge, passed) = edge::stream_start(self.edge.bom_bytes(), chunk);
        // Otherwise a walk has to return the bytes from earlier chunks, which are text.
        if edge != Edge::Within {
            self.edge = edge;
            *chunk = chunk.get(passed..).unwrap_or_default();
        }
        edge == Edge::Start
    }

    /// Returns the bytes of an unfinished line that no walk has returned: they could begin a byte order mark.
    pub(crate) fn unreturned(&self) -> &'static [u8] {
        BOM.get(..self.edge.bom_bytes()).unwrap_or_default()
    }

    /// Returns whether the last line so far is unfinished.
    ///
    /// One or two bytes that could begin a byte order mark, at the start of the stream, count as an unfinished line.
    /// If the stream ends after them, they are not returned as a piece.
    ///
    /// ```
    /// use eventwire::line::LineSplitter;
    ///
    /// let mut splitter = LineSplitter::new();
    /// splitter.lines(b"data: 1\ndata: 2").for_each(drop);
    /// assert!(splitter.is_within_line());
    /// ```
    #[must_use]
    pub const fn is_within_line(&self) -> bool {
        matches!(self.edge, Edge::Within | Edge::Bom1 | Edge::Bom2)
    }
}

impl Default for LineSplitter {
    fn default() -> LineSplitter {
        LineSplitter::new()
    }
}
