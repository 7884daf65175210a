//! The lines of a stream, and where each begins.

use eventwire::line::{Field, Lines};

use crate::finding::Place;

/// How many bytes of a line are checked.
const MAX_LEN: usize = 4 * 1024;

/// Splits a stream into lines. It keeps only the beginning of a long line.
#[derive(Debug)]
pub(crate) struct LineReader {
    lines: Lines,
    /// How many bytes have been read.
    bytes: u64,
    /// How many lines have ended.
    ended: u64,
    /// The rest of a long line that has not ended.
    rest: Option<Rest>,
}

#[derive(Clone, Copy, Debug)]
struct Rest {
    /// Where the line begins.
    begin: u64,
    /// The last two bytes of the line so far.
    last: [u8; 2],
}

/// A line, without its end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line<'l> {
    pub(crate) place: Place,
    /// All of the line, or the beginning of a long one.
    pub(crate) text: &'l [u8],
    rest: Option<Rest>,
}

impl LineReader {
    pub(crate) fn new() -> LineReader {
        LineReader { lines: Lines::new().with_max_line_len(MAX_LEN), bytes: 0, ended: 0, rest: None }
    }

    /// Reads the next chunk, and passes each line that ends in it to the function.
    pub(crate) fn push(&mut self, mut chunk: &[u8], mut check: impl FnMut(Line<'_>)) {
        loop {
            // `Lines` would skip the rest of a long line, too, but not say what it ends with.
            if let Some(rest) = &mut self.rest {
                let end = memchr::memchr2(b'\n', b'\r', chunk);
                let (skipped, unread) = chunk.split_at(end.unwrap_or(chunk.len()));
                rest.last = match skipped {
                    [.., before, last] => [*before, *last],
                    [last] => [rest.last[1], *last],
                    [] => rest.last,
                };
                self.bytes += skipped.len() as u64;
                if end.is_none() {
                    return;
                }
                self.unfinished().into_iter().for_each(&mut check);
                self.ended += 1;
                self.rest = None;
                chunk = unread;
            }
            let unread = chunk.len();
            let next = self.lines.next(&mut chunk);
            self.bytes += (unread - chunk.len()) as u64;
            match next {
                Ok(Some(text)) => {
                    // One byte ends the line. An LF after a CR is read with the next line.
                    let place = Place { line: self.ended + 1, byte: self.bytes - 1 - text.len() as u64 };
                    check(Line { place, text, rest: None });
                    self.ended += 1;
                }
                Ok(None) => return,
                Err(_) => {
                    let text = self.lines.unfinished();
                    let last = text.last_chunk().copied().unwrap_or_default();
                    self.rest = Some(Rest { begin: self.bytes - text.len() as u64, last });
                }
            }
        }
    }

    /// Returns how many lines have ended.
    pub(crate) fn ended(&self) -> u64 {
        self.ended
    }

    /// Returns what has been read of the last line, if it has not ended.
    pub(crate) fn unfinished(&self) -> Option<Line<'_>> {
        let text = self.lines.unfinished();
        let byte = self.rest.map_or(self.bytes - text.len() as u64, |rest| rest.begin);
        let place = Place { line: self.ended + 1, byte };
        (!text.is_empty()).then_some(Line { place, text, rest: self.rest })
    }
}

impl<'l> Line<'l> {
    /// Returns the field that the line sets, and its value, or the beginning of a long one.
    pub(crate) fn field(self) -> (Field, &'l [u8]) {
        Field::parse(self.text)
    }

    /// Returns whether the text is UTF-8. Where that of a long line is cut, its last character may be incomplete.
    pub(crate) fn is_utf8(self) -> bool {
        str::from_utf8(self.text).map_or_else(|error| self.rest.is_some() && error.error_len().is_none(), |_| true)
    }

    /// Returns whether the last two bytes are a backslash and an `n`. In the middle of a line, they may be meant: in
    /// JSON, in `C:\new`, in a formula, or where a client replaces them. No JSON text ends with them.
    pub(crate) fn ends_with_literal_line_break(self) -> bool {
        self.rest.map_or_else(|| self.text.ends_with(br"\n"), |rest| rest.last == *br"\n")
    }
}
