//! The line that is being read.

use eventwire::line::Field;

use crate::Place;
use crate::utf8::Utf8;

/// How many bytes of a line are kept. A field's name has at most five, and the rest is quoted.
const KEPT: usize = 64;

/// What is known of a line, whose bytes arrive in any number of pieces. It keeps only the first of them.
#[derive(Clone, Debug)]
pub(crate) struct OpenLine {
    place: Place,
    start: Vec<u8>,
    has_more: bool,
    last: [u8; 2],
    /// Whether all bytes that are not kept are digits.
    more_is_digits: bool,
    has_nul: bool,
    has_literal_line_break: bool,
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
            has_literal_line_break: false,
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
        let (Some(first), Some(last)) = (piece.first(), piece.last()) else { return };
        let (kept, more) = piece.split_at(piece.len().min(KEPT - self.start.len()));
        self.start.extend_from_slice(kept);
        self.has_more |= !more.is_empty();
        self.more_is_digits &= more.iter().all(u8::is_ascii_digit);
        // Searched in all lines, because the field's name may still be incomplete.
        self.has_nul |= memchr::memchr(0, piece).is_some();
        self.has_literal_line_break |=
            (self.last[1], *first) == (b'\\', b'n') || !self.is_json() && memchr::memmem::find(piece, br"\n").is_some();
        self.utf8 = self.utf8.push(piece);
        self.last = match piece {
            [.., before, last] => [*before, *last],
            _ => [self.last[1], *last],
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

    /// Returns whether the line has a backslash that is followed by an `n`. In JSON, they are right.
    pub(crate) fn has_literal_line_break(&self) -> bool {
        self.has_literal_line_break && !self.is_json()
    }

    /// Returns whether the value begins as a JSON text that can contain a string.
    pub(crate) fn is_json(&self) -> bool {
        matches!(self.field().1.trim_ascii_start(), [b'{' | b'[' | b'"', ..])
    }
}
