//! Bytes of a stream, with what is known about them.

use super::mask::{ByteSet, Stops};
use crate::line::Field;

/// A line, a part of one, or a value.
///
/// The knowledge is private. Bytes are known to be ASCII only where the walk has scanned them, and known to be text
/// only if they are ASCII or came from a `str`. So no safe code can claim it, and no code has to check it again.
///
/// It is three words without padding. Bytes of padding would be copied one by one, and each such copy waits for the
/// word before it (see benches/history.md).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scanned<'c> {
    bytes: &'c [u8],
    known: Known,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
enum Known {
    Ascii,
    /// The bytes are UTF-8.
    Text,
    Nothing,
}

impl<'c> Scanned<'c> {
    /// Bytes without a stop, which are therefore ASCII.
    ///
    /// # Safety
    ///
    /// The bytes contain no [stop](Stops).
    #[inline]
    #[expect(unsafe_code, reason = "the knowledge about the bytes is not part of their type")]
    pub(super) unsafe fn ascii(bytes: &'c [u8]) -> Scanned<'c> {
        debug_assert!(!bytes.iter().any(|byte| Stops::has(*byte)), "{}", bytes.escape_ascii());
        Scanned { bytes, known: Known::Ascii }
    }

    #[inline]
    pub(crate) fn bytes(self) -> &'c [u8] {
        self.bytes
    }

    /// The field of a line, unless it is [`Field::Other`], and its value.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(crate) fn field(self) -> Option<(Field, Scanned<'c>)> {
        let (field, prefix) = Field::known(self.bytes)?;
        Some((field, self.skip(prefix)))
    }

    /// The bytes after the first `count`.
    #[inline]
    pub(super) fn skip(self, count: usize) -> Scanned<'c> {
        // Other text could be split inside a character.
        let known = if self.known == Known::Ascii { Known::Ascii } else { Known::Nothing };
        Scanned { bytes: self.bytes.get(count..).unwrap_or_default(), known }
    }

    /// Whether the bytes contain a NUL. `contains` would add 240 bytes on wasm.
    #[inline]
    pub(crate) fn has_nul(self) -> bool {
        !self.bytes().iter().all(|byte| *byte != 0)
    }

    /// The bytes as text, if they are known to be text. If not, they may still be valid text.
    #[inline]
    pub(crate) fn text(self) -> Option<&'c str> {
        if self.known == Known::Nothing {
            return None;
        }
        #[expect(unsafe_code, reason = "the knowledge about the bytes is not part of their type")]
        // SAFETY: the bytes came unchanged from a `str`, or the caller of `ascii` has promised that there is no stop
        // among them, and every byte that is not ASCII is a stop. The rest of ASCII is ASCII too.
        unsafe {
            Some(str::from_utf8_unchecked(self.bytes))
        }
    }
}

impl<'c> From<&'c str> for Scanned<'c> {
    #[inline]
    fn from(text: &'c str) -> Scanned<'c> {
        Scanned { bytes: text.as_bytes(), known: Known::Text }
    }
}

/// Bytes about which nothing is known.
impl<'c> From<&'c [u8]> for Scanned<'c> {
    #[inline]
    fn from(bytes: &'c [u8]) -> Scanned<'c> {
        Scanned { bytes, known: Known::Nothing }
    }
}

#[cfg(test)]
mod tests {
    use super::Scanned;

    #[test]
    #[expect(unsafe_code, reason = "the function is tested")]
    fn a_rest_is_known_to_be_text_only_if_it_is_ascii() {
        // SAFETY: there is no stop.
        let line = unsafe { Scanned::ascii(b"data: 1") };
        assert_eq!(line.skip(6).text(), Some("1"));
        assert_eq!(Scanned::from(&b"data: 1"[..]).skip(6).text(), None);
        // It would begin inside a character.
        let rest = Scanned::from("\u{E9}t\u{E9}").skip(1);
        assert_eq!((rest.text(), rest.bytes()), (None, &b"\xA9t\xC3\xA9"[..]));
    }
}
