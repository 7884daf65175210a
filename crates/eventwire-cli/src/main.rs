//! Prints the events of a Server-Sent Events stream as they arrive, from a URL, a file or standard input.
//!
//! Without arguments, it prints a demo. `--help` describes the options.

mod args;
mod beginning;
mod demo;
mod failure;
#[cfg(test)]
mod laws;
mod observed;
mod print;
mod printable;
mod request;
mod session;

use std::fmt::Display;
use std::fs::File;
use std::io::{self, Write};
use std::process::ExitCode;

use anyhow::{Context, anyhow};

use args::{Command, Input};
use demo::Demo;
use printable::OneLine;
use session::Session;

fn main() -> ExitCode {
    match run() {
        Ok(code) => code,
        // The reader closed the output, as in `eventwire | head -1`.
        Err(error) if error.downcast_ref().map(io::Error::kind) == Some(io::ErrorKind::BrokenPipe) => ExitCode::SUCCESS,
        Err(error) => {
            report(&mut io::stderr(), format_args!("{error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn run() -> anyhow::Result<ExitCode> {
    let (input, output) = match args::parse(lexopt::Parser::from_env())? {
        Command::Say(text) => {
            io::stdout().write_all(text.as_bytes()).context(print::CANNOT_WRITE)?;
            return Ok(ExitCode::SUCCESS);
        }
        Command::Print { input, output } => (input, output),
    };
    let session = Session::new(io::stdout().lock(), io::stderr(), output);
    match input {
        Input::Demo => session.read(Demo::new(), "the demo"),
        Input::Stdin => session.read(io::stdin().lock(), "standard input"),
        Input::File(path) => {
            let file = File::open(&path).map_err(|error| {
                anyhow!("cannot open {path:?}: {error}; check the path; a URL starts with http:// or https://")
            })?;
            session.read(file, &format!("{path:?}"))
        }
        Input::Url(url, request) => session.fetch(url, *request),
    }
}

/// Writes one line to standard error. Unlike `eprintln!` it does not panic if standard error is closed.
fn report(err: &mut impl Write, what: impl Display) {
    let _ = writeln!(err, "eventwire: {}", OneLine(&what.to_string()));
}
