//! Whole lines of a stream that comes in chunks.

use super::{LineSplitter, LineTooLong, Piece, edge::BOM};
use alloc::vec::Vec;

/// The longest line unless another limit is set, in bytes.
const DEFAULT_MAX_LINE_LEN: usize = 16 * 1024 * 1024;
/// Capacity up to here, in bytes, is kept for good.
const LARGEST_KEPT: usize = 64 * 1024;
/// After this many lines in a row that needed less than a quarter of it, a larger buffer is released.
const CALM_LINES: u8 = 32;

/// Gives the whole lines of a stream that comes in chunks, in bounded memory.
///
/// Use it to read comments, unknown fields or the exact bytes of an event stream. Lines end as [`LineSplitter`] says,
/// wherever the chunks are cut. A line that lies whole in its chunk is lent from there. Only a line that straddles
/// chunks is copied, and a line over the [limit](LineBuffer::with_max_line_len) is an error instead of a growing
/// buffer.
///
/// ```
/// use eventwire::line::{Field, LineBuffer};
///
/// let mut lines = LineBuffer::new();
/// let mut found = Vec::new();
/// for chunk in [&b": keep-al"[..], b"ive\r", b"\ndata: 1\nfoo: bar\n\n"] {
///     let mut input = chunk;
///     while let Some(line) = lines.next_line(&mut input)? {
///         match Field::parse(line) {
///             (Field::Comment, text) => found.push(format!("comment {}", text.escape_ascii())),
///             (Field::Other, _) if !line.is_empty() => found.push(format!("unknown {}", line.escape_ascii())),
///             _ => {}
///         }
///     }
/// }
/// assert_eq!(found, ["comment keep-alive", "unknown foo: bar"]);
/// # Ok::<(), eventwire::line::LineTooLong>(())
/// ```
///
/// Its memory is at most twice the limit. A buffer that a long line has made larger than 64 KiB is released after 32
/// short lines.
#[derive(Clone, Debug)]
pub struct LineBuffer {
    splitter: LineSplitter,
    max_line_len: usize,
    state: State,
    /// What earlier chunks held of the line.
    line: Vec<u8>,
    calm_lines: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// The buffer holds the beginning of the open line, if one is open.
    Open,
    /// The line in the buffer has been returned.
    Returned,
    /// The rest of a line that was too long is skipped.
    TooLong,
}

impl LineBuffer {
    /// A buffer at the start of a stream, for lines up to 16 MiB.
    #[must_use]
    pub const fn new() -> LineBuffer {
        LineBuffer {
            splitter: LineSplitter::new(),
            max_line_len: DEFAULT_MAX_LINE_LEN,
            state: State::Open,
            line: Vec::new(),
            calm_lines: 0,
        }
    }

    /// Sets the length of the longest line, in bytes, without its line end.
    ///
    /// ```
    /// use eventwire::line::LineBuffer;
    ///
    /// let mut lines = LineBuffer::new().with_max_line_len(4);
    /// let mut input = &b"12345\n1234\n"[..];
    /// assert_eq!(lines.next_line(&mut input).unwrap_err().limit, 4);
    /// assert_eq!(lines.next_line(&mut input)?, Some(&b"1234"[..]));
    /// # Ok::<(), eventwire::line::LineTooLong>(())
    /// ```
    #[must_use]
    pub const fn with_max_line_len(mut self, bytes: usize) -> LineBuffer {
        self.max_line_len = bytes;
        self
    }

    /// Takes bytes off the front of `input` up to and including the next line end, and returns that line without its
    /// end.
    ///
    /// `Ok(None)` means that `input` is used up. A line is returned at its CR; an LF that belongs to it is left in the
    /// input, and the next call drops it. A byte order mark at the start of the stream is dropped as well.
    ///
    /// # Errors
    ///
    /// [`LineTooLong`], once for each line over the limit. Call again to go on: the rest of that line is skipped.
    #[inline]
    pub fn next_line<'b, 'c: 'b>(&'b mut self, input: &mut &'c [u8]) -> Result<Option<&'b [u8]>, LineTooLong> {
        self.recycle();
        loop {
            let mut pieces = self.splitter.lines(input);
            let piece = pieces.next();
            *input = pieces.rest();
            match piece {
                None => return Ok(None),
                Some(Piece::Whole(line)) => {
                    self.check(line.len())?;
                    if self.line.capacity() > LARGEST_KEPT {
                        self.count_calm(0);
                    }
                    return Ok(Some(line));
                }
                Some(Piece::Head(piece) | Piece::Middle(piece)) => self.push(piece)?,
                Some(Piece::Tail(piece)) => {
                    if self.end(piece)? {
                        return Ok(Some(&self.line));
                    }
                }
            }
        }
    }

    /// Ends the stream: returns the last line if it has no line end, and makes the buffer ready for another stream.
    ///
    /// The rest of a line that was too long is not returned. Nor are one or two bytes that might have become a byte
    /// order mark, if they are the whole stream and more than the limit: only the end tells that they are a line.
    ///
    /// ```
    /// use eventwire::line::LineBuffer;
    ///
    /// let mut lines = LineBuffer::new();
    /// assert_eq!(lines.next_line(&mut &b"data: cut o"[..])?, None);
    /// assert_eq!(lines.finish(), Some(&b"data: cut o"[..]));
    /// assert_eq!(lines.finish(), None);
    /// # Ok::<(), eventwire::line::LineTooLong>(())
    /// ```
    pub fn finish(&mut self) -> Option<&[u8]> {
        self.recycle();
        // Of the bytes of a byte order mark only a third one tells that they are one.
        let bom = BOM.get(..self.splitter.bom_bytes()).unwrap_or_default();
        let is_within_line = self.splitter.is_within_line();
        self.splitter = LineSplitter::new();
        if self.state == State::Open && is_within_line && self.push(bom).is_ok() {
            self.state = State::Returned;
            Some(&self.line)
        } else {
            self.state = State::Open;
            None
        }
    }

    /// Empties the buffer if its line has been returned.
    #[inline]
    fn recycle(&mut self) {
        if self.state == State::Returned {
            self.state = State::Open;
            self.count_calm(self.line.len());
            self.line.clear();
        }
    }

    /// Adds a piece to the open line.
    fn push(&mut self, piece: &[u8]) -> Result<(), LineTooLong> {
        if self.state == State::TooLong {
            return Ok(());
        }
        let needed = self.line.len().saturating_add(piece.len());
        if let Err(error) = self.check(needed) {
            self.state = State::TooLong;
            self.count_calm(self.line.len());
            self.line.clear();
            return Err(error);
        }
        if needed > self.line.capacity() {
            // Doubled, but not beyond the limit.
            let room = needed.max(self.line.capacity().saturating_mul(2).min(self.max_line_len));
            self.line.reserve_exact(room - self.line.len());
        }
        self.line.extend_from_slice(piece);
        Ok(())
    }

    /// Ends the open line. Returns whether it is in the buffer now.
    fn end(&mut self, piece: &[u8]) -> Result<bool, LineTooLong> {
        let outcome = self.push(piece);
        if self.state == State::TooLong {
            self.state = State::Open;
            return outcome.map(|()| false);
        }
        self.state = State::Returned;
        Ok(true)
    }

    #[inline]
    fn check(&self, len: usize) -> Result<(), LineTooLong> {
        if len <= self.max_line_len { Ok(()) } else { Err(LineTooLong { limit: self.max_line_len }) }
    }

    /// Counts a line that needed `len` bytes of the buffer, which is released if it has been too large for a while.
    fn count_calm(&mut self, len: usize) {
        if self.line.capacity() <= LARGEST_KEPT || len >= self.line.capacity() / 4 {
            self.calm_lines = 0;
            return;
        }
        self.calm_lines += 1;
        if self.calm_lines == CALM_LINES {
            self.calm_lines = 0;
            self.line = Vec::new();
        }
    }
}

impl Default for LineBuffer {
    fn default() -> LineBuffer {
        LineBuffer::new()
    }
}
