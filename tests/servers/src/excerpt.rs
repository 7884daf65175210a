//! A shortened view of a value, for failed tests.

use std::fmt;

/// Formats only the beginning of the value's `Debug` output: some bodies are 1 MiB.
pub struct Excerpt<T>(pub T);

const SHOWN: usize = 1000;

impl<T: fmt::Debug> fmt::Display for Excerpt<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{:?}", self.0);
        let shown = &text[..text.floor_char_boundary(SHOWN)];
        f.write_str(shown)?;
        f.write_str(if shown.len() < text.len() { " ..." } else { "" })
    }
}
