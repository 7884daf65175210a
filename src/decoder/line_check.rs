//! Checks that every line is valid UTF-8, for [`InvalidUtf8::Stop`](super::InvalidUtf8::Stop).

use super::{InvalidText, open_line::Name};
use crate::line::{Field, Scanned};

/// The line that is being checked, which may arrive in pieces.
#[derive(Clone, Debug)]
pub(super) struct LineCheck {
    name: LineName,
    /// The length of the line so far, in bytes.
    len: usize,
    /// The bytes of a character at the end of the line so far that is not complete yet.
    open: [u8; 4],
    open_len: usize,
    /// Where the first invalid sequence begins, in bytes from the start of the line.
    invalid: Option<usize>,
}

/// The field of the line.
#[derive(Clone, Copy, Debug)]
enum LineName {
    /// The line began before the check did, and is not checked.
    Unchecked,
    Open(Name),
    Known(Field),
}

impl LineCheck {
    pub(super) fn new() -> LineCheck {
        LineCheck { name: LineName::Open(Name::EMPTY), len: 0, open: [0; 4], open_len: 0, invalid: None }
    }

    /// Begins after the end of a line that is open.
    pub(super) fn after_open_line() -> LineCheck {
        LineCheck { name: LineName::Unchecked, ..LineCheck::new() }
    }

    /// Checks a line, or a part of one.
    pub(super) fn push(&mut self, text: Scanned<'_>) {
        match self.name {
            LineName::Unchecked => return,
            LineName::Known(_) => {}
            LineName::Open(name) => {
                let (before_colon, has_colon) = Name::split(text.bytes());
                self.name = match name.with(before_colon) {
                    None => LineName::Known(Field::Other),
                    Some(name) if has_colon => LineName::Known(name.field()),
                    Some(name) => LineName::Open(name),
                };
            }
        }
        self.push_text(text);
    }

    /// Ends the line. Returns what is invalid in it.
    pub(super) fn end(&mut self) -> Option<InvalidText> {
        let LineCheck { name, len, open_len, invalid, .. } = core::mem::replace(self, LineCheck::new());
        let offset = invalid.or((open_len > 0).then_some(len.saturating_sub(open_len)))?;
        let field = match name {
            LineName::Unchecked => return None,
            LineName::Open(name) => name.field(),
            LineName::Known(field) => field,
        };
        Some(InvalidText::new(field, offset))
    }

    fn push_text(&mut self, text: Scanned<'_>) {
        let mut bytes = text.bytes();
        // Completes the open character, byte by byte: it has at most four.
        while self.open_len > 0
            && self.invalid.is_none()
            && let [first, rest @ ..] = bytes
        {
            bytes = rest;
            self.len += 1;
            if let Some(next) = self.open.get_mut(self.open_len) {
                *next = *first;
            }
            self.open_len += 1;
            let begin = self.len - self.open_len;
            match self.open.get(..self.open_len).map(core::str::from_utf8) {
                Some(Ok(_)) => self.open_len = 0,
                Some(Err(error)) if error.error_len().is_none() => {}
                _ => self.invalid = Some(begin),
            }
        }
        if self.invalid.is_none()
            && text.text().is_none()
            && let Err(error) = core::str::from_utf8(bytes)
        {
            let begin = error.valid_up_to();
            match (error.error_len(), bytes.get(begin..)) {
                (None, Some(open)) => {
                    self.open_len = open.len();
                    self.open.iter_mut().zip(open).for_each(|(to, from)| *to = *from);
                }
                _ => self.invalid = Some(self.len + begin),
            }
        }
        self.len += bytes.len();
    }
}

#[cfg(test)]
mod tests {
    use super::LineCheck;
    use crate::line::{Field, Scanned};
    use proptest::prelude::*;

    proptest! {
        // Miri has no file system for recorded failures.
        #![proptest_config(ProptestConfig {
            cases: if cfg!(miri) { 8 } else { 512 },
            failure_persistence: None,
            ..ProptestConfig::default()
        })]

        /// However a line is split, the first invalid sequence is found where the standard library finds it.
        #[test]
        fn agrees_with_the_standard_library(
            name in "data|event|id|retry|datas|",
            pieces in prop::collection::vec("[a:\u{E9}\u{20AC}\u{1F600}]{0,2}|\\PC{0,2}", 0..5),
            byte in any::<u8>(),
            place in 0..20_usize,
            size in 1..8_usize,
        ) {
            let mut line = [name, pieces.concat()].concat().into_bytes();
            line.insert(place.min(line.len()), byte);
            let expected = core::str::from_utf8(&line).err().map(|error| (Field::parse(&line).0, error.valid_up_to()));
            let mut check = LineCheck::new();
            for size in [line.len(), size, 1] {
                line.chunks(size).for_each(|piece| check.push(Scanned::from(piece)));
                prop_assert_eq!(check.end().map(|text| (text.field(), text.offset())), expected);
            }
        }
    }
}
