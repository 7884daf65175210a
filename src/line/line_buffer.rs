//! Complete lines of a stream that arrives in chunks.

use super::{LineSplitter, LineTooLong, Piece, edge::BOM};
use alloc::vec::Vec;

/// The default limit on a line's length, in bytes.
const DEFAULT_MAX_LINE_LEN: usize = 16 * 1024 * 1024;
/// Capacity up to this many bytes is never released.
const LARGEST_KEPT: usize = 64 * 1024;
/// A larger buffer is released after this many consecutive lines that needed less than a quarter of it.
const CALM_LINES: u8 = 32;

/// Returns the complete lines of a stream that arrives in chunks, in bounded memory.
///
/// Use it to read comments, unknown fields or the exact bytes of each line. It splits lines as [`LineSplitter`] does,
/// however the bytes are split into chunks. A line that is contained in a single chunk is borrowed from it. Only a
/// line that crosses a chunk boundary is copied. A line longer than the [limit](LineBuffer::with_max_line_len) is an
/// error, so the buffer cannot grow without limit.
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
/// It uses at most twice the limit, while the buffer grows. A buffer that has grown beyond 64 KiB for a long line is
/// released after 32 short lines.
#[derive(Clone, Debug)]
pub struct LineBuffer {
    splitter: LineSplitter,
    max_line_len: usize,
    state: State,
    /// The bytes of the line from earlier chunks.
    line: Vec<u8>,
    calm_lines: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// The buffer contains the beginning of the open line, if one is open.
    Open,
    /// The line in the buffer has been returned.
    Returned,
    /// The rest of a line that was too long is skipped.
    TooLong,
}

impl LineBuffer {
    /// Creates a buffer for the start of a stream, for lines of up to 16 MiB.
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

    /// Sets the limit on the length of a line, in bytes, without its line end. The default is 16 MiB.
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

    /// Returns the next line without its end, consuming `input` up to and including that line end.
    ///
    /// `Ok(None)` means that `input` is used up. A line is returned at its CR. If an LF follows, it stays in the
    /// input, and the next call skips it. A byte order mark at the start of the stream is skipped as well.
    ///
    /// # Errors
    ///
    /// [`LineTooLong`], once for each line over the limit. To continue, call again: the rest of that line is skipped.
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
    /// The rest of a line that was too long is not returned. In one case, such a line has not been reported as an
    /// error: if the entire stream is the first one or two bytes of a byte order mark, and longer than the limit.
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
        // Only the third byte of a byte order mark shows that the first two belong to one.
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
            // Doubles the capacity, but not beyond the limit.
            let room = needed.max(self.line.capacity().saturating_mul(2).min(self.max_line_len));
            self.line.reserve_exact(room - self.line.len());
        }
        self.line.extend_from_slice(piece);
        Ok(())
    }

    /// Ends the open line. Returns whether the line is now in the buffer.
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

    /// Counts a line that needed `len` bytes of the buffer. The buffer is released if it has been too large for some
    /// time.
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
