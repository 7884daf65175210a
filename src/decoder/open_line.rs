//! Where in a line that straddles chunks the last chunk ended.

use super::digits::Digits;
use crate::line::Field;

#[derive(Clone, Copy, Debug)]
pub(crate) enum Open {
    Name(Name),
    /// Behind the colon, where one space is passed over.
    Space(Field),
    Value(Field),
    /// In the value of `retry`.
    Digits(Digits),
}

/// The part of a field name that is there, as far as it can still become a known one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Name {
    bytes: [u8; 6],
    len: u8,
}

impl Open {
    /// At the start of a line.
    pub(crate) const START: Open = Open::Name(Name { bytes: [0; 6], len: 0 });

    pub(crate) fn is_comment(&self) -> bool {
        matches!(self, Open::Space(Field::Comment) | Open::Value(Field::Comment))
    }
}

impl Name {
    pub(crate) fn field(&self) -> Field {
        Field::named(&self.bytes[..self.len()])
    }

    pub(crate) fn len(&self) -> usize {
        usize::from(self.len)
    }

    /// The name with one more byte; `None` if it is longer than any that is known.
    pub(crate) fn with(mut self, byte: u8) -> Option<Name> {
        let next = self.len();
        *self.bytes.get_mut(next)? = byte;
        self.len += 1;
        Some(self)
    }
}
