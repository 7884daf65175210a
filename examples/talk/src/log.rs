//! The log on standard error.

use std::fmt::Display;
use std::io::{self, Write};

use crate::printable::OneLine;

/// Writes a line to standard error.
pub(crate) fn log(line: impl Display) {
    // A single write, so that lines are not mixed. `eprintln!` would panic if standard error is closed.
    let _ = io::stderr().write_all(format!("talk: {}\n", OneLine(&line.to_string())).as_bytes());
}
