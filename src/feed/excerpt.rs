//! Text of a server in an error message.

use core::fmt::{self, Write};

/// The beginning of a text, on one line: up to 200 characters, and `...` if it goes on. Control characters are escaped,
/// and so are bytes that are not UTF-8.
#[derive(Debug)]
pub struct Excerpt<'t> {
    text: &'t [u8],
    is_complete: bool,
}

const SHOWN: usize = 200;

impl<'t> Excerpt<'t> {
    /// Returns the beginning of a text.
    #[must_use]
    pub fn new(text: &'t [u8]) -> Excerpt<'t> {
        Excerpt { text, is_complete: true }
    }

    /// Returns the beginning of a text of which this much is known.
    #[must_use]
    pub fn of_incomplete(text: &'t [u8]) -> Excerpt<'t> {
        Excerpt { text, is_complete: false }
    }
}

impl fmt::Display for Excerpt<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut left = SHOWN;
        for chunk in self.text.trim_ascii().utf8_chunks() {
            for character in chunk.valid().chars() {
                if left == 0 {
                    return f.write_str("...");
                }
                left -= 1;
                if character.is_control() {
                    write!(f, "{}", character.escape_default())?;
                } else {
                    f.write_char(character)?;
                }
            }
            for byte in chunk.invalid() {
                if left == 0 {
                    return f.write_str("...");
                }
                left -= 1;
                write!(f, "\\x{byte:02x}")?;
            }
        }
        if self.is_complete { Ok(()) } else { f.write_str("...") }
    }
}
