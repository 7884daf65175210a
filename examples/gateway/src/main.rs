//! The program `gateway`. See the library for what it does.

/// Shared with the program `eventwire`.
#[path = "../../../crates/eventwire-cli/src/printable.rs"]
mod printable;

use std::io::{self, Write};
use std::process::ExitCode;

use printable::OneLine;

fn main() -> ExitCode {
    let Err(failure) = gateway::run(std::env::args_os().skip(1), &mut io::stdout()) else {
        return ExitCode::SUCCESS;
    };
    // `eprintln!` would panic if standard error is closed.
    let _ = writeln!(io::stderr(), "gateway: {}", OneLine(&failure.to_string()));
    ExitCode::FAILURE
}
