//! Lines and fields: the stream below the level of events.
//!
//! [`LineSplitter`] is told chunks of bytes and lends the lines in them; [`Field`] says what a line is. The
//! [`Decoder`](crate::Decoder) is built on these two, and proxies, linters and loggers can be too: at this level
//! comments, unknown fields and the exact bytes are to be seen, which events do not show.
//!
//! # Example: the comments and unknown fields of a stream
//!
//! ```
//! use eventwire::line::{Field, LineSplitter, Piece};
//!
//! let mut splitter = LineSplitter::new();
//! let mut line = Vec::new(); // a line that straddles chunks is put together here
//! let mut found = Vec::new();
//!
//! for chunk in [&b": keep-al"[..], b"ive\r", b"\ndata: 1\nfoo: bar\n\n"] {
//!     for piece in splitter.lines(chunk) {
//!         let whole = match piece {
//!             Piece::Whole(whole) => whole,
//!             Piece::Head(head) => {
//!                 line = head.to_vec();
//!                 continue;
//!             }
//!             Piece::Middle(middle) => {
//!                 line.extend_from_slice(middle);
//!                 continue;
//!             }
//!             Piece::Tail(tail) => {
//!                 line.extend_from_slice(tail);
//!                 &line[..]
//!             }
//!         };
//!         match Field::of(whole) {
//!             (Field::Comment, text) => found.push(format!("comment {}", text.escape_ascii())),
//!             (Field::Other, _) if !whole.is_empty() => found.push(format!("unknown {}", whole.escape_ascii())),
//!             _ => {}
//!         }
//!     }
//! }
//! assert_eq!(found, ["comment keep-alive", "unknown foo: bar"]);
//! ```

use core::fmt;

mod mask;

pub use crate::field::Field;

const BOM: &[u8; 3] = b"\xEF\xBB\xBF";

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

/// All that is remembered from one chunk to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Edge {
    /// The stream has begun with so many bytes of a byte order mark, and with nothing else.
    Bom(u8),
    /// A line begins.
    Start,
    /// A line begins, unless an LF comes first: it belongs to the CR before.
    AfterCr,
    /// Inside a line.
    Within,
}

/// A line, or as much of one as its chunk holds, without its line end.
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

impl LineSplitter {
    /// A splitter at the start of a stream, where a byte order mark may come.
    #[must_use]
    pub const fn new() -> LineSplitter {
        LineSplitter { edge: Edge::Bom(0) }
    }

    /// A splitter at the start of a line, where a byte order mark is text as any other.
    #[inline]
    pub(crate) const fn within_stream() -> LineSplitter {
        LineSplitter { edge: Edge::Start }
    }

    /// Splits the next chunk of the stream.
    ///
    /// The returned iterator takes in the chunk as it goes. One that is dropped early has not seen the bytes
    /// that [`Lines::rest`] would have given; the next chunk has to begin with them.
    #[inline]
    pub fn lines<'s, 'c>(&'s mut self, chunk: &'c [u8]) -> Lines<'s, 'c> {
        Lines { edge: &mut self.edge, chunk, at: 0, ends: 0, scanned: 0 }
    }

    /// Whether the bytes so far end inside a line, that is, whether a line has begun and has not ended.
    ///
    /// The first one or two bytes of a byte order mark count as a line that has begun. A stream that ends behind them ends
    /// without a piece for them.
    #[must_use]
    pub const fn is_within_line(&self) -> bool {
        matches!(self.edge, Edge::Within | Edge::Bom(1..))
    }
}

impl Default for LineSplitter {
    fn default() -> LineSplitter {
        LineSplitter::new()
    }
}

/// The lines of one chunk; an iterator of [`Piece`]s, made by [`LineSplitter::lines`].
#[must_use = "a chunk is split as its lines are asked for"]
#[derive(Debug)]
pub struct Lines<'s, 'c> {
    edge: &'s mut Edge,
    chunk: &'c [u8],
    /// Where the next line, or the next piece of one, begins.
    at: usize,
    /// The line ends in the 64 bytes before `scanned` that have not been reached, the last bit the last byte.
    ends: u64,
    /// So far the line ends are known; beyond the chunk's end, where fewer than 64 bytes were left.
    scanned: usize,
}

impl<'c> Iterator for Lines<'_, 'c> {
    type Item = Piece<'c>;

    #[inline(always)] // A line costs less than a call: the decoder's loop is where the state of this walk has to live.
    fn next(&mut self) -> Option<Piece<'c>> {
        let mut first = *self.chunk.get(self.at)?;
        match *self.edge {
            Edge::Start => {}
            Edge::AfterCr => {
                if first == b'\n' {
                    self.at += 1;
                    self.pass_end();
                    *self.edge = Edge::Start;
                    first = *self.chunk.get(self.at)?;
                }
            }
            Edge::Within => return self.rest_of_line(),
            Edge::Bom(seen) => {
                let (edge, passed) = stream_start(seen, self.chunk);
                self.at = passed;
                *self.edge = edge;
                if edge == Edge::Within {
                    // Not a mark: the bytes of it that earlier chunks held are text, and are lent from the constant.
                    return Some(Piece::Head(&BOM[..usize::from(seen)]));
                }
                first = *self.chunk.get(self.at)?;
            }
        }
        // The blank line, every event's last, is told by its first byte alone, before anything is searched.
        if matches!(first, b'\n' | b'\r') {
            self.pass_end();
            return Some(Piece::Whole(self.end_line(self.at)));
        }
        Some(match self.find_end() {
            Some(end) => Piece::Whole(self.end_line(end)),
            None => Piece::Head(self.leave_open()),
        })
    }
}

impl<'c> Lines<'_, 'c> {
    /// The bytes of the chunk that have not been looked at: those behind the last piece and its line end.
    ///
    /// After a line that ended with a CR they may begin with the LF that belongs to it.
    #[must_use]
    #[inline]
    pub fn rest(self) -> &'c [u8] {
        &self.chunk[self.at..]
    }

    /// Puts back the last `unread` bytes of the last piece, and its line end, so that the line is open again.
    pub(crate) fn reopen(self, unread: usize) -> &'c [u8] {
        let end = if *self.edge == Edge::Within { self.at } else { self.at - 1 };
        *self.edge = Edge::Within;
        &self.chunk[end - unread..]
    }

    /// What the chunk holds of the line that is open: a tail or a middle; `None` if no line is open.
    #[inline(always)]
    pub(crate) fn rest_of_line(&mut self) -> Option<Piece<'c>> {
        if *self.edge != Edge::Within || self.at == self.chunk.len() {
            return None;
        }
        Some(match self.find_end() {
            Some(end) => Piece::Tail(self.end_line(end)),
            None => Piece::Middle(self.leave_open()),
        })
    }

    #[inline(always)]
    fn end_line(&mut self, end: usize) -> &'c [u8] {
        let line = &self.chunk[self.at..end];
        *self.edge = if self.chunk[end] == b'\r' { Edge::AfterCr } else { Edge::Start };
        self.at = end + 1;
        line
    }

    #[inline(always)]
    fn leave_open(&mut self) -> &'c [u8] {
        let piece = &self.chunk[self.at..];
        *self.edge = Edge::Within;
        self.at = self.chunk.len();
        piece
    }

    /// Forgets the line end that the walk stands at: the first one of `ends`, or none if it was never scanned.
    #[inline(always)]
    fn pass_end(&mut self) {
        self.ends &= self.ends.wrapping_sub(1);
    }

    /// The place of the next line end.
    ///
    /// The first 64 unknown bytes are scanned as one mask, which later calls use up, and what follows by
    /// `memchr2`: a mask alone is slow on long lines, and `memchr2` alone costs more than a short line itself.
    #[inline(always)]
    fn find_end(&mut self) -> Option<usize> {
        if self.ends == 0 {
            let from = self.at.max(self.scanned);
            if from >= self.chunk.len() {
                return None;
            }
            self.ends = mask::line_ends(self.chunk, from);
            self.scanned = from + 64;
            if self.ends == 0 {
                if self.scanned >= self.chunk.len() {
                    return None;
                }
                return Some(self.scanned + memchr::memchr2(b'\n', b'\r', &self.chunk[self.scanned..])?);
            }
        }
        let end = self.scanned - 64 + self.ends.trailing_zeros() as usize;
        self.pass_end();
        Some(end)
    }
}

/// Whether there is a line end in the text.
#[inline]
pub(crate) fn has_end(text: &[u8]) -> bool {
    match text.len() {
        0..=64 => mask::line_ends(text, 0) != 0,
        _ => memchr::memchr2(b'\n', b'\r', text).is_some(),
    }
}

/// How many line ends are in the text, and how many bytes they have.
pub(crate) fn count_ends(text: &[u8]) -> (usize, usize) {
    if memchr::memchr(b'\r', text).is_none() {
        // Each LF is one, and bytes of one value are counted several times as fast as lines.
        let ends = memchr::memchr_iter(b'\n', text).count();
        return (ends, ends);
    }
    let (mut ends, mut len) = (0, text.len());
    for piece in LineSplitter::within_stream().lines(text) {
        match piece {
            Piece::Whole(line) => {
                ends += 1;
                len -= line.len();
            }
            Piece::Head(line) | Piece::Middle(line) | Piece::Tail(line) => len -= line.len(),
        }
    }
    (ends, len)
}

/// What the next bytes of a stream that has begun with `seen` bytes of a byte order mark make of it, and how many of them
/// belong to the mark. `Within` where the bytes that were seen turn out to be text.
///
/// Not a method: whoever is handed a `Lines` by reference keeps all of it in memory, and out of registers, for good.
#[cold]
fn stream_start(seen: u8, chunk: &[u8]) -> (Edge, usize) {
    let missing = &BOM[usize::from(seen)..];
    let matching = chunk.iter().zip(missing).take_while(|(byte, expected)| byte == expected);
    let (now_seen, matching) = matching.fold((seen, 0), |(seen, matching), _| (seen + 1, matching + 1));
    if matching == missing.len() {
        (Edge::Start, matching)
    } else if matching == chunk.len() {
        (Edge::Bom(now_seen), matching)
    } else if seen == 0 {
        (Edge::Start, 0)
    } else {
        (Edge::Within, 0)
    }
}

#[cfg(test)]
mod tests;
