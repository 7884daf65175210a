//! A value that is not UTF-8.

use super::{DecodeError, utf8};
use crate::line::{Field, Scanned};
use core::fmt;

/// Text that is not valid UTF-8; the contents of [`DecodeError::InvalidUtf8`](super::DecodeError::InvalidUtf8).
///
/// ```
/// use eventwire::{DecodeError, Decoder, InvalidUtf8, line::Field};
///
/// let mut decoder = Decoder::new().with_invalid_utf8(InvalidUtf8::Reject);
/// match decoder.decode(&mut &b"event: caf\xE9\ndata: a\n\n"[..]) {
///     Err(DecodeError::InvalidUtf8(text)) => {
///         assert_eq!((text.field(), text.offset()), (Field::EventType, 3));
///         assert_eq!(text.to_string(), "`event` is not valid UTF-8 (at byte 3)");
///     }
///     other => panic!("{other:?}"),
/// }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct InvalidText {
    /// The offset times eight, plus the field as one of six numbers.
    ///
    /// The two are packed so that a [`DecodeError`](super::DecodeError) is a kind and one number, which the compiler
    /// keeps in two registers. With a separate field, a stream of owned events took 4 % more instructions and up to
    /// 12 % more time.
    packed: usize,
}

impl InvalidText {
    /// Rejects the value of a field if it is not UTF-8.
    pub(super) fn check(field: Field, value: Scanned<'_>) -> Result<(), DecodeError> {
        match utf8::first_invalid(value) {
            Some(offset) => Err(DecodeError::InvalidUtf8(InvalidText::new(field, offset))),
            None => Ok(()),
        }
    }

    pub(super) fn new(field: Field, offset: usize) -> InvalidText {
        let field = match field {
            Field::EventType => 1,
            Field::Id => 2,
            Field::Comment => 3,
            Field::Retry => 4,
            Field::Other => 5,
            Field::Data => 0,
        };
        // No value is as long as an eighth of the address space.
        InvalidText { packed: offset << 3 | field }
    }

    /// Returns the field with the invalid value: data, type, ID, or a comment. With
    /// [`InvalidUtf8::Stop`](super::InvalidUtf8::Stop), it is the field of the invalid line, which may be any.
    #[must_use]
    pub const fn field(&self) -> Field {
        match self.packed & 7 {
            1 => Field::EventType,
            2 => Field::Id,
            3 => Field::Comment,
            4 => Field::Retry,
            5 => Field::Other,
            _ => Field::Data,
        }
    }

    /// Returns where the first invalid sequence begins, in bytes from the start of the value. The value of data is
    /// all its lines, joined by LF. With [`InvalidUtf8::Stop`](super::InvalidUtf8::Stop), the bytes are counted from
    /// the start of the line, with the field's name and its colon.
    #[must_use]
    pub const fn offset(&self) -> usize {
        self.packed >> 3
    }
}

impl fmt::Display for InvalidText {
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

impl fmt::Debug for InvalidText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InvalidText").field("field", &self.field()).field("offset", &self.offset()).finish()
    }
}
