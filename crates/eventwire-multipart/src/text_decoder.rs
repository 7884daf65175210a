//! Text whose characters may be split across chunks.

use alloc::{borrow::Cow, string::String, vec::Vec};
use core::str;

/// Decodes UTF-8 that arrives in chunks, which may end inside a character. [`Part::text`](crate::Part::text) uses it.
///
/// Bytes that are not UTF-8 become U+FFFD, as often as in [`String::from_utf8_lossy`] of the whole text.
///
/// ```
/// use eventwire_multipart::TextDecoder;
///
/// let mut decoder = TextDecoder::new();
/// assert_eq!(decoder.decode(b"caf\xC3"), "caf");
/// assert_eq!(decoder.decode(b"\xA9 \xE2\x82"), "\u{E9} ");
/// assert_eq!(decoder.finish(), "\u{FFFD}"); // the text ended inside a character
/// ```
#[derive(Clone, Debug, Default)]
pub struct TextDecoder {
    /// The beginning of a character: up to three bytes.
    unfinished: Vec<u8>,
}

impl TextDecoder {
    /// Returns a decoder at the beginning of a text.
    #[must_use]
    pub fn new() -> TextDecoder {
        TextDecoder::default()
    }

    /// Returns the text that this chunk completes. A character that is unfinished at its end comes with a later chunk.
    #[must_use = "the text is returned only once"]
    pub fn decode(&mut self, chunk: &[u8]) -> String {
        let bytes = match self.unfinished.is_empty() {
            true => Cow::Borrowed(chunk),
            false => Cow::Owned([&self.unfinished, chunk].concat()),
        };
        self.unfinished.clear();
        let mut text = String::with_capacity(bytes.len());
        let mut rest = &*bytes;
        while !rest.is_empty() {
            let error = match str::from_utf8(rest) {
                Ok(valid) => {
                    text.push_str(valid);
                    break;
                }
                Err(error) => error,
            };
            let (valid, after) = rest.split_at(error.valid_up_to());
            text.push_str(str::from_utf8(valid).unwrap_or_default());
            let Some(length) = error.error_len() else {
                self.unfinished.extend_from_slice(after);
                break;
            };
            text.push(char::REPLACEMENT_CHARACTER);
            rest = &after[length..];
        }
        text
    }

    /// Ends the text. Returns U+FFFD if a character is unfinished, otherwise `""`. The decoder can then decode another
    /// text.
    #[must_use = "the text is returned only once"]
    pub fn finish(&mut self) -> &'static str {
        let is_complete = self.unfinished.is_empty();
        self.unfinished.clear();
        if is_complete { "" } else { "\u{FFFD}" }
    }
}
