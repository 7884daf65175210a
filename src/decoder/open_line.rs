//! Where the last chunk ended, in a line that crosses a chunk boundary.

use super::digits::Digits;
use crate::line::Field;

#[derive(Clone, Copy, Debug)]
pub(super) enum OpenLine {
    Name(Name),
    /// After the colon, where one space is skipped.
    Space(Field),
    /// In a value that the block stores.
    Value(StoredField),
    /// In the value of `retry`.
    Digits(Digits),
    /// In a comment that is skipped.
    Comment,
    /// In a comment that is buffered.
    BufferedComment,
    /// In a line that has no effect.
    Other,
}

/// The fields whose values a block stores, and whose lines count towards its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StoredField {
    Data,
    EventType,
    Id,
}

/// The first bytes of a field name, as long as it can still become a known one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Name {
    bytes: [u8; Name::LONGEST],
    len: u8,
}

impl OpenLine {
    /// At the start of a line.
    pub(super) const START: OpenLine = OpenLine::Name(Name::EMPTY);

    /// At the start of a value.
    #[inline]
    pub(super) fn for_value(field: Field) -> OpenLine {
        match field {
            Field::Data => OpenLine::Value(StoredField::Data),
            Field::EventType => OpenLine::Value(StoredField::EventType),
            Field::Id => OpenLine::Value(StoredField::Id),
            Field::Retry => OpenLine::Digits(Digits::Empty),
            Field::Comment => OpenLine::Comment,
            Field::Other => OpenLine::Other,
        }
    }
}

impl Name {
    pub(super) const EMPTY: Name = Name { bytes: [0; Name::LONGEST], len: 0 };
    /// The longest known names are `event` and `retry`.
    const LONGEST: usize = 5;

    pub(super) fn field(&self) -> Field {
        Field::named(self.bytes.get(..self.len()).unwrap_or_default())
    }

    pub(super) fn len(&self) -> usize {
        usize::from(self.len)
    }

    /// Returns the bytes before the first colon, as far as they matter, and whether there is a colon.
    #[inline]
    pub(super) fn split(bytes: &[u8]) -> (&[u8], bool) {
        // A name that is longer than any known one need not be searched further.
        let bytes = bytes.get(..Name::LONGEST + 1).unwrap_or(bytes);
        match bytes.iter().position(|byte| *byte == b':') {
            Some(colon) => (bytes.get(..colon).unwrap_or_default(), true),
            None => (bytes, false),
        }
    }

    /// The name with more bytes appended; `None` if it is longer than any known one.
    #[inline]
    pub(super) fn with(mut self, bytes: &[u8]) -> Option<Name> {
        for byte in bytes {
            let next = self.len();
            *self.bytes.get_mut(next)? = *byte;
            self.len += 1;
        }
        Some(self)
    }
}
