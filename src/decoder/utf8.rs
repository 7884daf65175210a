//! The decoder's only place where bytes are checked to be text: UTF-8 is validated, or repaired where it is invalid.

use crate::line::{Field, Scanned};
use alloc::{string::String, vec::Vec};
use core::{cell::Cell, fmt};

/// U+FFFD.
const REPLACEMENT: &str = "\u{FFFD}";

/// What a [`Decoder`](super::Decoder) does with bytes that are not valid UTF-8; set by
/// [`with_utf8_policy`](super::Decoder::with_utf8_policy).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Utf8Policy {
    /// Invalid bytes become U+FFFD, as in ["UTF-8 decode"](https://encoding.spec.whatwg.org/#utf-8-decode). The
    /// standard requires this.
    #[default]
    Replace,
    /// The stream ends with [`DecodeError::InvalidUtf8`](super::DecodeError::InvalidUtf8) at the end of the first line
    /// that has an invalid byte anywhere: in a value, in a field name, or in a line without effect. Use it for peers
    /// that must send UTF-8, so that anything else proves that the stream is broken.
    ///
    /// All that was complete before that line has been returned. The open block is discarded. The decoder then returns
    /// nothing more until [`finish`](super::Decoder::finish) or [`reset`](super::Decoder::reset) begins the next
    /// stream, and its [`position`](super::Decoder::position) is [`Ended`](super::Position::Ended).
    Stop,
}

/// A line that is not valid UTF-8; the contents of [`DecodeError::InvalidUtf8`](super::DecodeError::InvalidUtf8).
///
/// ```
/// use eventwire::{DecodeError, Decoder, Utf8Policy, line::Field};
///
/// let mut decoder = Decoder::new().with_utf8_policy(Utf8Policy::Stop);
/// match decoder.decode(&mut &b"event: caf\xE9\ndata: a\n\n"[..]) {
///     Err(DecodeError::InvalidUtf8(line)) => {
///         assert_eq!((line.field(), line.offset()), (Field::EventType, 10));
///         assert_eq!(line.to_string(), "`event` is not valid UTF-8 (at byte 10)");
///     }
///     other => panic!("{other:?}"),
/// }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct InvalidUtf8 {
    /// The offset times eight, plus the field as one of six numbers.
    ///
    /// The two are packed so that a [`DecodeError`](super::DecodeError) is a kind and one number, which the compiler
    /// keeps in two registers. With a separate field, a stream of owned events took 4 % more instructions and up to
    /// 12 % more time.
    packed: usize,
}

impl InvalidUtf8 {
    const FIELDS: [Field; 6] = [Field::Data, Field::EventType, Field::Id, Field::Comment, Field::Retry, Field::Other];

    pub(super) fn new(field: Field, offset: usize) -> InvalidUtf8 {
        let field = InvalidUtf8::FIELDS.iter().position(|other| *other == field).unwrap_or_default();
        // A skipped line may be longer than an eighth of a small address space. The offset is then the largest one.
        InvalidUtf8 { packed: offset.min(usize::MAX >> 3) << 3 | field }
    }

    /// Returns the field of the line, which may be any, or a comment.
    #[must_use]
    pub fn field(&self) -> Field {
        InvalidUtf8::FIELDS.get(self.packed & 7).copied().unwrap_or(Field::Other)
    }

    /// Returns where the first invalid sequence begins, in bytes from the start of the line, with the field's name and
    /// its colon.
    #[must_use]
    pub const fn offset(&self) -> usize {
        self.packed >> 3
    }
}

impl fmt::Display for InvalidUtf8 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = match self.field() {
            Field::EventType => "`event`",
            Field::Id => "`id`",
            Field::Comment => "a comment",
            Field::Retry => "`retry`",
            Field::Other => "an unknown field",
            Field::Data => "`data`",
        };
        write!(f, "{of} is not valid UTF-8 (at byte {})", self.offset())
    }
}

impl fmt::Debug for InvalidUtf8 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InvalidUtf8").field("field", &self.field()).field("offset", &self.offset()).finish()
    }
}

/// Checks each line of a stream for [`Utf8Policy::Stop`]. A line may arrive in pieces, of which it keeps none but an
/// incomplete character.
#[derive(Clone, Debug, Default)]
pub(super) struct LineCheck {
    /// The length of the line so far, in bytes, without `open`.
    len: usize,
    /// An incomplete character, with which the line so far ends.
    open: Vec<u8>,
    /// Where the first invalid sequence begins.
    invalid: Option<usize>,
    /// Whether the line began before the check did.
    pub(super) is_unchecked: bool,
}

impl LineCheck {
    /// Checks a line, or a piece of one.
    pub(super) fn push(&mut self, piece: Scanned<'_>) {
        let mut bytes = piece.bytes();
        // An open character is completed byte by byte.
        while !self.open.is_empty()
            && let [first, rest @ ..] = bytes
        {
            self.open.push(*first);
            bytes = rest;
            match str::from_utf8(&self.open) {
                Err(error) if error.error_len().is_none() => continue,
                Err(_) => self.invalid = Some(self.len),
                Ok(_) => self.len = self.len.saturating_add(self.open.len()),
            }
            self.open.clear();
        }
        if self.invalid.is_some() {
            return;
        }
        if piece.text().is_none()
            && let Err(error) = str::from_utf8(bytes)
        {
            let (valid, rest) = bytes.split_at_checked(error.valid_up_to()).unwrap_or_default();
            match error.error_len() {
                Some(_) => self.invalid = Some(self.len.saturating_add(valid.len())),
                None => self.open.extend_from_slice(rest),
            }
            bytes = valid;
        }
        self.len = self.len.saturating_add(bytes.len());
    }

    /// Ends a line of this field. Returns what is invalid in it.
    pub(super) fn end(&mut self, field: Field) -> Option<InvalidUtf8> {
        let offset = self.invalid.or((!self.open.is_empty()).then_some(self.len)).filter(|_| !self.is_unchecked);
        self.open.clear();
        (self.len, self.invalid, self.is_unchecked) = (0, None, false);
        Some(InvalidUtf8::new(field, offset?))
    }
}

/// The text of a value, if it is valid UTF-8.
#[inline]
pub(super) fn valid(value: Scanned<'_>) -> Option<&str> {
    value.text().or_else(|| validate(value.bytes()))
}

#[inline(never)]
fn validate(bytes: &[u8]) -> Option<&str> {
    #[cfg(feature = "simd")]
    if bytes.len() >= 64 {
        return simdutf8::basic::from_utf8(bytes).ok();
    }
    str::from_utf8(bytes).ok()
}

/// Replaces each maximal invalid subpart by U+FFFD, as in ["UTF-8 decode"]. If the text is longer, the capacity becomes
/// its length, unless it is larger already.
///
/// No subpart is longer than the three bytes of U+FFFD. So the bytes are moved to the end, and what is written from the
/// beginning never overtakes them. They are moved through cells: the panics of `copy_within` would make the program for
/// browsers 2 KB larger.
///
/// ["UTF-8 decode"]: https://encoding.spec.whatwg.org/#utf-8-decode
#[cold]
pub(super) fn repair(bytes: &mut Vec<u8>) {
    // What is valid at the beginning stays.
    let mut to = bytes.utf8_chunks().next().map_or(0, |chunk| chunk.valid().len());
    let (growth, tail) = (growth(bytes), bytes.len() - to);
    bytes.reserve_exact(growth);
    bytes.resize(bytes.len() + growth, 0);
    let cells = Cell::from_mut(&mut **bytes).as_slice_of_cells();
    cells.iter().rev().zip(cells.iter().rev().skip(growth)).take(tail).for_each(|(new, old)| new.set(old.get()));
    let mut from = to + growth;
    while let Some(chunk) = bytes.get(from..).and_then(|rest| rest.utf8_chunks().next()) {
        let (valid, invalid) = (chunk.valid().len(), chunk.invalid().len());
        let cells = Cell::from_mut(&mut **bytes).as_slice_of_cells();
        let replacement = if invalid > 0 { REPLACEMENT } else { "" };
        let text = cells.iter().skip(from).take(valid).map(Cell::get).chain(replacement.bytes());
        cells.iter().skip(to).zip(text).for_each(|(new, byte)| new.set(byte));
        (from, to) = (from + valid + invalid, to + valid + replacement.len());
    }
}

/// A copy of the bytes as text, [repaired](repair). Its memory has exactly its length.
pub(super) fn repaired(bytes: &[u8]) -> String {
    let mut text = Vec::with_capacity(bytes.len() + growth(bytes));
    text.extend_from_slice(bytes);
    repair(&mut text);
    String::from_utf8(text).unwrap_or_default()
}

/// By how many bytes the repaired text is longer.
fn growth(bytes: &[u8]) -> usize {
    let subparts = bytes.utf8_chunks().map(|chunk| chunk.invalid().len()).filter(|len| *len > 0);
    subparts.map(|len| REPLACEMENT.len() - len).sum()
}

#[cfg(test)]
mod tests {
    use super::{InvalidUtf8, LineCheck, repair, repaired, validate};
    use crate::line::{Field, Scanned};
    use std::vec::Vec;

    /// Every kind of invalid sequence, and some valid ones.
    const KINDS: [&[u8]; 14] = [
        b"",
        b"\x80",
        b"\xFF",
        b"\xC2",
        b"\xC0\xAF",
        b"\xE2\x82",
        b"\xE0\x80\x80",
        b"\xED\xA0\x80",
        b"\xF0\x9F\x98",
        b"\xF4\x90\x80\x80",
        b"\xF8\x88\x80\x80\x80",
        b"\xE2\x82\xAC",
        b"\xF0\x9F\x98\x80",
        b"\xC3\xA9",
    ];

    #[test]
    fn agrees_with_the_standard_library() {
        for kind in KINDS {
            // Around the length from which simdutf8 is used.
            for before in (0..70).step_by(if cfg!(miri) { 63 } else { 1 }) {
                for after in [0, 1, 63, 64, 65] {
                    let mut bytes = Vec::new();
                    bytes.resize(before, b'a');
                    bytes.extend_from_slice(kind);
                    bytes.resize(bytes.len() + after, b'z');
                    assert_eq!(validate(&bytes), str::from_utf8(&bytes).ok());
                    let expected = std::string::String::from_utf8_lossy(&bytes).into_owned();
                    let text = repaired(&bytes);
                    assert_eq!((&text, text.capacity()), (&expected, text.len()));
                    repair(&mut bytes);
                    assert_eq!(bytes, expected.as_bytes());
                }
            }
        }
    }

    /// Subparts that grow by different lengths, with text between them.
    #[test]
    fn repairs_all_that_is_invalid() {
        let pairs = || KINDS.iter().flat_map(|first| KINDS.iter().map(move |second| [*first, *second]));
        let both = pairs().flat_map(|pair| pairs().map(move |other| (pair, other)));
        for ([first, second], [third, fourth]) in both.step_by(if cfg!(miri) { 997 } else { 1 }) {
            let mut bytes = [b"ab", first, b"c", second, b"de\xC3\xA9f", third, fourth].concat();
            let expected = std::string::String::from_utf8_lossy(&bytes).into_owned();
            repair(&mut bytes);
            assert_eq!(bytes, expected.as_bytes());
        }
    }

    #[test]
    fn a_line_is_checked_the_same_in_any_pieces() {
        for (first, second) in KINDS.iter().flat_map(|first| KINDS.iter().map(move |second| (first, second))) {
            let line = [b"ab", *first, b"c", *second].concat();
            let expected = str::from_utf8(&line).err().map(|error| error.valid_up_to());
            for size in 1..=line.len() {
                let mut check = LineCheck::default();
                // A line that is valid leaves nothing behind for the next.
                for _ in 0..2 {
                    line.chunks(size).for_each(|piece| check.push(Scanned::from(piece)));
                    let found = check.end(Field::Retry);
                    assert_eq!(found.map(|invalid| invalid.offset()), expected, "{}", line.escape_ascii());
                    assert!(found.is_none_or(|invalid| invalid.field() == Field::Retry));
                }
            }
        }
    }

    #[test]
    fn field_and_offset_are_packed() {
        for field in InvalidUtf8::FIELDS {
            for offset in [0, 1, 7, 8, usize::MAX >> 3] {
                let invalid = InvalidUtf8::new(field, offset);
                assert_eq!((invalid.field(), invalid.offset()), (field, offset));
            }
            // A larger offset is the largest one, and leaves the field as it is.
            let invalid = InvalidUtf8::new(field, usize::MAX);
            assert_eq!((invalid.field(), invalid.offset()), (field, usize::MAX >> 3));
        }
    }
}
