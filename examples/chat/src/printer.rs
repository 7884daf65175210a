//! The answer on standard output.

use std::io::{self, StdoutLock, Write};

pub(crate) struct Printer {
    out: StdoutLock<'static>,
}

impl Printer {
    pub(crate) fn new() -> Printer {
        Printer { out: io::stdout().lock() }
    }

    /// The token is out when this returns: the next may be a minute away.
    pub(crate) fn print(&mut self, token: &str) -> io::Result<()> {
        self.out.write_all(visible(token).as_bytes())?;
        self.out.flush()
    }

    pub(crate) fn end(&mut self) -> io::Result<()> {
        self.out.write_all(b"\n")?;
        self.out.flush()
    }
}

/// An answer comes from outside: an escape sequence in it must not move the cursor, or retitle the window.
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
