//! Text whose chunks may be cut within a character.

/// Decodes UTF-8 across chunks. Invalid bytes become U+FFFD.
#[derive(Debug, Default)]
pub(crate) struct Utf8 {
    /// The beginning of a character.
    rest: Vec<u8>,
}

impl Utf8 {
    /// The characters that this chunk completes.
    pub(crate) fn push(&mut self, chunk: &[u8]) -> String {
        self.rest.extend_from_slice(chunk);
        let rest = self.rest.utf8_chunks().last().map_or(&[][..], |last| last.invalid());
        // Only the end of the input can leave a character incomplete. Any other invalid byte stays invalid.
        let is_incomplete = str::from_utf8(rest).is_err_and(|error| error.error_len().is_none());
        let complete = self.rest.len() - if is_incomplete { rest.len() } else { 0 };
        let text = String::from_utf8_lossy(&self.rest[..complete]).into_owned();
        self.rest.drain(..complete);
        text
    }

    /// U+FFFD if the last character is incomplete.
    pub(crate) fn finish(self) -> &'static str {
        if self.rest.is_empty() { "" } else { "\u{FFFD}" }
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
    fn any_cut_is_the_same_text() {
        check("é 日本 🦀".as_bytes());
        check(b"a\xFFb\xF0\x9F\xA6c\xE6\x97");
        check(b"\x80\xF0\x9F");
    }

    #[test]
    fn a_character_is_there_with_its_last_byte() {
        let mut utf8 = Utf8::default();
        assert_eq!(utf8.push(b"a\xC3"), "a");
        assert_eq!(utf8.push(b"\xA9"), "é");
    }
}
