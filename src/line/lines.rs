//! Splits a byte stream into whole lines.

use super::stops::{Scanned, Stops};
use alloc::vec::Vec;
use core::mem;

/// The longest line by default, in bytes.
const DEFAULT_MAX_LINE_LEN: usize = 16 * 1024 * 1024;

pub(crate) const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Splits a byte stream into lines at CR LF, LF and CR, as [the standard's grammar] defines them.
///
/// It returns whole lines, without their ends. A line that is contained in a chunk is a slice of it, and one that
/// crosses a chunk boundary is put together in the splitter. The lines are the same however the bytes are split into
/// chunks, even between CR and LF or inside the byte order mark. A CR ends its line immediately. An LF right after it
/// is skipped, even in a later chunk. One byte order mark at the very start of the stream is dropped. Each stream needs
/// a splitter of its own, and the standard ignores a [line that has not ended](Lines::unfinished) when the stream does.
///
/// ```
/// use eventwire::line::Lines;
///
/// let mut lines = Lines::new();
/// let mut found = Vec::new();
/// for chunk in [&b"\xEF\xBB\xBFone\r"[..], b"\n\ntw", b"o\nthree"] {
///     let mut input = chunk;
///     while let Some(line) = lines.next(&mut input)? {
///         found.push(line.to_vec());
///     }
/// }
/// assert_eq!(found, [&b"one"[..], b"", b"two"]);
/// assert_eq!(lines.unfinished(), b"three");
/// # Ok::<(), eventwire::line::LineTooLong>(())
/// ```
///
/// [the standard's grammar]: https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
#[derive(Clone, Debug)]
pub struct Lines {
    max_len: usize,
    /// What has arrived of the line, or the line that was returned last.
    line: Vec<u8>,
    state: State,
    /// Whether no line has ended yet, so that a byte order mark is dropped.
    is_first: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// `line` is unfinished.
    Open,
    /// `line` is unfinished, too long, and has been reported. The rest of it is skipped.
    TooLong,
    /// The last line has ended. With a CR, the LF that may follow is skipped.
    Ended { with_cr: bool },
}

/// A whole line, without its end.
pub(crate) enum Line<'l, 'c> {
    /// A slice of the chunk.
    InChunk(Scanned<'c>),
    /// A line that has crossed chunks. The caller may take it.
    Carried(&'l mut Vec<u8>),
}

/// The error of [`Lines`]: a line is longer than the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[error("the line is longer than the limit of {limit} bytes")]
#[non_exhaustive]
pub struct LineTooLong {
    /// The limit, in bytes.
    pub limit: usize,
}

impl Lines {
    /// Creates a splitter for the start of a stream, with a limit of 16 MiB for each line.
    #[must_use]
    pub const fn new() -> Lines {
        let state = State::Ended { with_cr: false };
        Lines { max_len: DEFAULT_MAX_LINE_LEN, line: Vec::new(), state, is_first: true }
    }

    /// Sets the length of the longest line, in bytes, without its line end. A byte order mark counts.
    ///
    /// Only lines that cross chunks are stored. The splitter has at most twice the limit for them, three times while it
    /// grows, and keeps it for as long as it lives.
    ///
    /// ```
    /// use eventwire::line::{LineTooLong, Lines};
    ///
    /// let mut lines = Lines::new().with_max_line_len(4);
    /// let mut input = &b"12345\n1234\n"[..];
    /// assert!(matches!(lines.next(&mut input), Err(LineTooLong { limit: 4, .. })));
    /// assert_eq!(lines.unfinished(), b"1234"); // the beginning of the first line
    /// assert_eq!(lines.next(&mut input)?, Some(&b"1234"[..]));
    /// # Ok::<(), LineTooLong>(())
    /// ```
    #[must_use]
    pub const fn with_max_line_len(mut self, bytes: usize) -> Lines {
        self.max_len = bytes;
        self
    }

    /// Returns the next line, and consumes `input` up to and including its end.
    ///
    /// `Ok(None)` means that `input` is used up. If the line ends with a CR and an LF follows, the LF stays in the
    /// input, and the next call skips it.
    ///
    /// # Errors
    ///
    /// [`LineTooLong`], once for each such line, as soon as it exceeds the limit. Until the next call,
    /// [`unfinished`](Lines::unfinished) returns the beginning of the line, as long as the limit. To go on, call again:
    /// the rest of the line is skipped.
    pub fn next<'l, 'c: 'l>(&'l mut self, input: &mut &'c [u8]) -> Result<Option<&'l [u8]>, LineTooLong> {
        Ok(self.next_line(input)?.map(|line| match line {
            Line::InChunk(line) => line.bytes(),
            Line::Carried(line) => line,
        }))
    }

    /// Does the same, and tells where the line is.
    #[inline]
    pub(crate) fn next_line<'l, 'c>(&'l mut self, input: &mut &'c [u8]) -> Result<Option<Line<'l, 'c>>, LineTooLong> {
        loop {
            if let (State::Ended { with_cr }, [first, rest @ ..]) = (self.state, *input) {
                self.line.clear();
                self.state = State::Open;
                if with_cr && *first == b'\n' {
                    *input = rest;
                }
            }
            let mut stops = Stops::new(input, 0);
            let (piece, is_end) = stops.next();
            let is_carried = !self.line.is_empty();
            if self.state == State::Open {
                let room = self.max_len.saturating_sub(self.line.len());
                if piece.len() > room {
                    self.line.extend_from_slice(&piece.bytes()[..room]);
                    self.state = State::TooLong;
                    *input = &input[room..];
                    return Err(LineTooLong { limit: self.max_len });
                }
                if !is_end || is_carried {
                    self.line.extend_from_slice(piece.bytes());
                }
            }
            *input = &input[stops.at()..];
            if !is_end {
                return Ok(None);
            }
            let state = mem::replace(&mut self.state, State::Ended { with_cr: stops.is_after_cr() });
            let is_first = mem::take(&mut self.is_first);
            if state == State::Open {
                return Ok(Some(match is_carried {
                    true => Line::Carried(carried(&mut self.line, is_first)),
                    false if is_first && piece.bytes().starts_with(BYTE_ORDER_MARK) => {
                        Line::InChunk(piece.split_at(BYTE_ORDER_MARK.len()).1)
                    }
                    false => Line::InChunk(piece),
                }));
            }
        }
    }

    /// Returns what has arrived of the last line, and ends it. `None` if there is nothing of it, or if it has been
    /// reported as too long.
    #[cfg(feature = "json")]
    pub(crate) fn finish(&mut self) -> Option<&mut Vec<u8>> {
        let state = mem::replace(&mut self.state, State::Ended { with_cr: false });
        let is_first = mem::take(&mut self.is_first);
        (state == State::Open).then(|| carried(&mut self.line, is_first)).filter(|line| !line.is_empty())
    }

    /// Drops the beginning of a line that is too long, with its memory.
    #[cfg(feature = "json")]
    pub(crate) fn drop_beginning(&mut self) {
        self.line = Vec::new();
    }

    /// Returns what has arrived of the last line, if it has not ended: at the end of the stream, this is its rest.
    ///
    /// For a line that is too long, it is the beginning.
    #[must_use]
    pub fn unfinished(&self) -> &[u8] {
        match self.state {
            State::Ended { .. } => &[],
            State::Open | State::TooLong if self.is_first => without_mark(&self.line),
            State::Open | State::TooLong => &self.line,
        }
    }
}

/// A line that has been stored. The first one loses its byte order mark.
fn carried(line: &mut Vec<u8>, is_first: bool) -> &mut Vec<u8> {
    if is_first && line.starts_with(BYTE_ORDER_MARK) {
        line.drain(..BYTE_ORDER_MARK.len());
    }
    line
}

/// The first line of a stream, without a byte order mark.
fn without_mark(line: &[u8]) -> &[u8] {
    line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line)
}

impl Default for Lines {
    fn default() -> Lines {
        Lines::new()
    }
}
