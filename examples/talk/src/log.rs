//! The log, which is standard error.

use std::fmt::Display;
use std::io::{self, Write};

/// Writes a line to standard error.
pub(crate) fn log(line: impl Display) {
    // One write, so that lines do not mix. `eprintln!` would panic if standard error is closed.
    let _ = io::stderr().write_all(format!("talk: {line}\n").as_bytes());
}
