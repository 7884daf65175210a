//! Prints the answer.

use std::io::{self, Write};

pub(crate) struct Printer<W> {
    out: W,
    has_printed: bool,
}

impl<W: Write> Printer<W> {
    pub(crate) fn new(out: W) -> Printer<W> {
        Printer { out, has_printed: false }
    }

    /// Returns whether anything was printed, so that a line end has to follow.
    pub(crate) fn has_printed(&self) -> bool {
        self.has_printed
    }

    /// Prints a token, and flushes, because the next one may take a minute.
    pub(crate) fn print(&mut self, token: &str) -> io::Result<()> {
        self.has_printed = true;
        self.out.write_all(visible(token).as_bytes())?;
        self.out.flush()
    }

    pub(crate) fn end(&mut self) -> io::Result<()> {
        self.out.write_all(b"\n")?;
        self.out.flush()
    }
}

/// Escapes control characters, so that an answer cannot move the cursor or rename the window.
fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for char in text.chars() {
        if char.is_control() && !matches!(char, '\n' | '\r' | '\t') {
            shown.extend(char.escape_default());
        } else {
            shown.push(char);
        }
    }
    shown
}
