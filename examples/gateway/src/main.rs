//! The program `gateway`. See the library for what it does.

use std::io::{self, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    let Err(failure) = gateway::run(std::env::args_os().skip(1), &mut io::stdout()) else {
        return ExitCode::SUCCESS;
    };
    // One line, although an argument may have several. `eprintln!` would panic if standard error is closed.
    let _ = writeln!(io::stderr(), "gateway: {}", failure.to_string().replace(char::is_control, "\u{FFFD}"));
    ExitCode::FAILURE
}
