//! Where in a line that straddles chunks the last chunk ended.

use super::digits::Digits;
use crate::line::Field;

#[derive(Clone, Copy, Debug)]
pub(super) enum OpenLine {
    Name(Name),
    /// Behind the colon, where one space is passed over.
    Space(Field),
    Value(Field),
    /// In the value of `retry`.
    Digits(Digits),
}

/// The part of a field name that is there, as far as it can still become a known one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Name {
    bytes: [u8; 6],
    len: u8,
}

impl OpenLine {
    /// At the start of a line.
    pub(super) const START: OpenLine = OpenLine::Name(Name { bytes: [0; 6], len: 0 });

    pub(super) fn is_comment(&self) -> bool {
        matches!(self, OpenLine::Space(Field::Comment) | OpenLine::Value(Field::Comment))
    }
}

impl Name {
    pub(super) fn field(&self) -> Field {
        Field::named(&self.bytes[..self.len()])
    }

    pub(super) fn len(&self) -> usize {
        usize::from(self.len)
    }

    /// The name with one more byte; `None` if it is longer than any that is known.
    pub(super) fn with(mut self, byte: u8) -> Option<Name> {
        let next = self.len();
        *self.bytes.get_mut(next)? = byte;
        self.len += 1;
        Some(self)
    }
}
