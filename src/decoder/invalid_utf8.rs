//! What becomes of bytes that are not UTF-8.

use super::{DecodeError, InvalidText, utf8};
use crate::line::{Field, Scanned};

/// What a [`Decoder`](super::Decoder) does with values that are not valid UTF-8; see
/// [`with_invalid_utf8`](super::Decoder::with_invalid_utf8).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum InvalidUtf8 {
    /// Invalid bytes become U+FFFD, as in ["UTF-8 decode"](https://encoding.spec.whatwg.org/#utf-8-decode): the standard's rule.
    #[default]
    Replace,
    /// The block is reported as [`DecodeError::InvalidUtf8`](super::DecodeError::InvalidUtf8), and nothing of it takes effect.
    Error,
}

impl InvalidUtf8 {
    /// Refuses the value of a field that is to be valid, and is not.
    pub(super) fn check(self, field: Field, value: Scanned<'_>) -> Result<(), DecodeError> {
        match self {
            InvalidUtf8::Replace => Ok(()),
            InvalidUtf8::Error => match utf8::first_invalid(value) {
                Some(offset) => Err(DecodeError::InvalidUtf8(InvalidText::new(field, offset))),
                None => Ok(()),
            },
        }
    }
}
