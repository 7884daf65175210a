//! Shows the events of a Server-Sent Events stream as they arrive, from a URL, a file or standard input, says what is
//! wrong with a stream, records it, and serves it with faults.
//!
//! Without arguments, it prints a demo. `--help` describes the options.

mod answer;
mod args;
mod beginning;
mod check;
mod coding;
mod demo;
mod failure;
mod input;
mod journey;
mod json_lines;
#[cfg(test)]
mod laws;
mod observed;
mod pretty;
mod print;
mod printable;
mod record;
mod request;
mod select;
mod serve;
mod session;
mod silence;
mod traffic;

use std::fmt::Display;
use std::io::{self, Write};
use std::process::ExitCode;

use anyhow::Context;

use args::{Command, Input, View};
use demo::Demo;
use printable::OneLine;
use record::Recorder;
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
    match args::parse()? {
        Command::Say(text) => {
            io::stdout().write_all(&text).context(print::CANNOT_WRITE)?;
            Ok(ExitCode::SUCCESS)
        }
        Command::View(view) => show(*view),
        Command::Check(check) => check::run(*check),
        Command::Serve(serve) => serve::run(*serve),
    }
}

fn show(view: View) -> anyhow::Result<ExitCode> {
    let View { input, output, count, unfinished, dialect, connection, recording } = view;
    let session = Session::new(io::stdout().lock(), io::stderr(), output).with_count(count);
    let session = if unfinished { session.with_unfinished() } else { session };
    let session = match dialect {
        Some(dialect) => session.with_dialect(dialect.rules()),
        None => session,
    };
    match input {
        Input::Demo => {
            let _ = io::stderr().write_all(demo::HEADING.as_bytes());
            let code = session.read(Demo::new(), "the demo")?;
            let _ = io::stderr().write_all(demo::NEXT.as_bytes());
            Ok(code)
        }
        Input::Stdin => session.read(input::stdin()?, "standard input"),
        Input::File(path) => session.read(input::file(&path)?, &format!("{path:?}")),
        Input::Url(url, request) => {
            let recorder = recording.map(Recorder::create).transpose()?;
            session.fetch(url, &request, &connection, recorder)
        }
    }
}

/// Writes one line to standard error. Unlike `eprintln!` it does not panic if standard error is closed.
fn report(err: &mut impl Write, what: impl Display) {
    let _ = writeln!(err, "eventwire: {}", OneLine(&what.to_string()));
}
