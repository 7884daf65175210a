//! Text of a server in an error message.

use core::fmt::{self, Write};

/// The beginning of a text, on one line: up to 200 characters, and `...` if it goes on. Control characters are escaped,
/// and so are bytes that are not UTF-8.
pub(crate) struct Excerpt<'t>(pub(crate) &'t [u8]);

const SHOWN: usize = 200;

impl fmt::Display for Excerpt<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut left = SHOWN;
        for chunk in self.0.trim_ascii().utf8_chunks() {
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
        Ok(())
    }
}
