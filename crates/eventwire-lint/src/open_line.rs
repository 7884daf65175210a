//! The line that is being read.

use eventwire::line::Field;

use crate::Place;
use crate::utf8::Utf8;

/// How many bytes of a line are kept. A field's name has at most five, and the rest is quoted.
const KEPT: usize = 64;

/// What is known of a line, whose bytes arrive in any number of pieces. It keeps only the first of them.
#[derive(Debug)]
pub(crate) struct OpenLine {
    place: Place,
    start: Vec<u8>,
    has_more: bool,
    /// The last two bytes.
    last: [u8; 2],
    /// Whether all bytes that are not kept are digits.
    more_is_digits: bool,
    has_nul: bool,
    utf8: Utf8,
}

impl OpenLine {
    pub(crate) fn new(place: Place) -> OpenLine {
        OpenLine {
            place,
            start: Vec::new(),
            has_more: false,
            last: [0; 2],
            more_is_digits: true,
            has_nul: false,
            utf8: Utf8::EMPTY,
        }
    }

    /// Begins another line, in the same memory.
    pub(crate) fn begin(&mut self, place: Place) {
        let mut start = std::mem::take(&mut self.start);
        start.clear();
        *self = OpenLine { start, ..OpenLine::new(place) };
    }

    pub(crate) fn push(&mut self, piece: &[u8]) {
        let (kept, more) = piece.split_at(piece.len().min(KEPT - self.start.len()));
        self.start.extend_from_slice(kept);
        self.has_more |= !more.is_empty();
        self.more_is_digits &= more.iter().all(u8::is_ascii_digit);
        // Searched in all lines, because the field's name may still be incomplete.
        self.has_nul |= memchr::memchr(0, piece).is_some();
        self.utf8 = self.utf8.push(piece);
        self.last = match piece {
            [.., before, last] => [*before, *last],
            [last] => [self.last[1], *last],
            [] => self.last,
        };
    }

    pub(crate) fn place(&self) -> Place {
        self.place
    }

    /// Returns the first bytes of the line: all of them, unless there are more than 64.
    pub(crate) fn start(&self) -> &[u8] {
        &self.start
    }

    pub(crate) fn is_blank(&self) -> bool {
        self.start.is_empty()
    }

    /// Returns the field that the line sets, and the value as far as it is kept.
    pub(crate) fn field(&self) -> (Field, &[u8]) {
        Field::parse(&self.start)
    }

    pub(crate) fn is_utf8(&self) -> bool {
        self.utf8.is_complete()
    }

    pub(crate) fn has_nul(&self) -> bool {
        self.has_nul
    }

    /// Returns whether the value consists of ASCII digits, at least one.
    pub(crate) fn is_number(&self) -> bool {
        let (_, value) = self.field();
        !value.is_empty() && value.iter().all(u8::is_ascii_digit) && self.more_is_digits
    }

    /// Returns whether the value is exactly this text, which is shorter than what is kept.
    pub(crate) fn is_value(&self, text: &[u8]) -> bool {
        !self.has_more && self.field().1 == text
    }

    /// Returns whether the last two bytes are a backslash and an `n`. In the middle of a line, they may be meant: in
    /// JSON, in `C:\new`, in a formula, or where a client replaces them. No JSON text ends with them.
    pub(crate) fn ends_with_literal_line_break(&self) -> bool {
        self.last == *br"\n"
    }
}
