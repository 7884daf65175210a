//! Decodes text with characters that cross a chunk boundary.

/// Decodes UTF-8 chunk by chunk. Invalid bytes become U+FFFD.
#[derive(Debug, Default)]
pub(crate) struct Utf8 {
    /// The start of a character that is not complete yet.
    rest: Vec<u8>,
}

impl Utf8 {
    /// Returns the characters that are complete with this chunk.
    pub(crate) fn push(&mut self, chunk: &[u8]) -> String {
        let mut bytes = std::mem::take(&mut self.rest);
        bytes.extend_from_slice(chunk);
        let mut text = String::new();
        for chunk in bytes.utf8_chunks() {
            // If the last iteration kept the start of a character, it was invalid, because more bytes follow.
            text.push_str(self.finish());
            text.push_str(chunk.valid());
            let invalid = chunk.invalid();
            if str::from_utf8(invalid).is_err_and(|error| error.error_len().is_none()) {
                self.rest.extend_from_slice(invalid);
            } else if !invalid.is_empty() {
                text.push('\u{FFFD}');
            }
        }
        text
    }

    /// Ends the text. Returns U+FFFD if the last character is incomplete.
    pub(crate) fn finish(&mut self) -> &'static str {
        let is_complete = self.rest.is_empty();
        self.rest.clear();
        if is_complete { "" } else { "\u{FFFD}" }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(bytes: &[u8]) {
        for first in 0..=bytes.len() {
            for second in first..=bytes.len() {
                let mut utf8 = Utf8::default();
                let pieces = [&bytes[..first], &bytes[first..second], &bytes[second..]];
                let text: String = pieces.into_iter().map(|piece| utf8.push(piece)).collect();
                assert_eq!(text + utf8.finish(), String::from_utf8_lossy(bytes), "{first}, {second}");
            }
        }
    }

    #[test]
    fn any_split_is_the_same_text() {
        check("é 日本 🦀".as_bytes());
        check(b"a\xFFb\xF0\x9F\xA6c\xE6\x97");
        check(b"\x80\xF0\x9F");
    }

    #[test]
    fn a_character_is_returned_with_its_last_byte() {
        let mut utf8 = Utf8::default();
        assert_eq!(utf8.push(b"a\xC3"), "a");
        assert_eq!(utf8.push(b"\xA9"), "é");
    }
}
