//! Text of a server in an error message.

use core::fmt::{self, Write};

/// The beginning of a text, on one line: up to 200 characters, and `...` if it goes on. Control characters are escaped.
pub(super) struct Excerpt<'t>(pub(super) &'t str);

const SHOWN: usize = 200;

impl fmt::Display for Excerpt<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.0.trim_ascii().chars();
        for character in rest.by_ref().take(SHOWN) {
            if character.is_control() {
                write!(f, "{}", character.escape_default())?;
            } else {
                f.write_char(character)?;
            }
        }
        if rest.as_str().is_empty() { Ok(()) } else { f.write_str("...") }
    }
}
