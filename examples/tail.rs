//! Prints the events of a stream as they come: of a URL, a file or standard input.
//!
//! `cargo run --example tail` alone serves a chat stream on the loopback interface and tails it over HTTP.
//! `cargo run --example tail -- --help` says what else it takes.

#[path = "tail/args.rs"]
mod args;
#[path = "tail/demo.rs"]
mod demo;
#[path = "tail/fetch.rs"]
mod fetch;
#[path = "tail/print.rs"]
mod print;

use std::error::Error as StdError;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use eventwire::{DecodeError, Decoder, Eof, Error, Event, EventStream, Events, ReadChunks};
use futures_util::StreamExt;
use reqwest::Client;

use args::{Command, Source};
use fetch::FetchError;
use print::Printer;

fn main() -> ExitCode {
    match run() {
        Ok(code) => code,
        // `tail | head -1` has what it wanted.
        Err(Stop::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(stop) => {
            complain(&stop);
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<ExitCode, Stop> {
    let (source, format) = match args::parse(lexopt::Parser::from_env())? {
        Command::Help => {
            io::stdout().write_all(args::USAGE.as_bytes()).map_err(Stop::Output)?;
            return Ok(ExitCode::SUCCESS);
        }
        Command::Tail { source, format } => (source, format),
    };
    let tail = Tail { printer: Printer::new(format), code: ExitCode::SUCCESS };
    match source {
        Source::Stdin => tail.read(io::stdin().lock()),
        Source::File(path) => match File::open(&path) {
            Ok(file) => tail.read(file),
            Err(error) => Err(Stop::Open { path, error }),
        },
        Source::Url(url) => tail.fetch(&fetch::client()?, &url),
        Source::Demo => tail.fetch(&fetch::loopback_client()?, &demo::serve().map_err(Stop::Demo)?),
    }
}

/// What stands between a source of events and the terminal.
struct Tail {
    printer: Printer,
    code: ExitCode,
}

impl Tail {
    fn read(mut self, reader: impl Read) -> Result<ExitCode, Stop> {
        for event in Events::with_decoder(ReadChunks::new(reader), decoder()) {
            self.take(event)?;
        }
        Ok(self.code)
    }

    fn fetch(mut self, client: &Client, url: &str) -> Result<ExitCode, Stop> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(Stop::Runtime)?;
        runtime.block_on(async {
            let response = fetch::open(client, url).await?;
            let mut events = EventStream::with_decoder(response.bytes_stream(), decoder());
            while let Some(event) = events.next().await {
                self.take(event)?;
            }
            Ok(self.code)
        })
    }

    /// Prints an event. What cannot be decoded is told and remembered in the exit code, and the stream goes on:
    /// the decoder is at the next event already. What cannot be read is the end.
    fn take<E: StdError + 'static>(&mut self, event: Result<Event, Error<E>>) -> Result<(), Stop> {
        match event {
            Ok(event) => self.printer.print(&event).map_err(Stop::Output)?,
            Err(Error::Decode(error)) => {
                match error {
                    DecodeError::UnexpectedEof => complain(
                        "the stream ended in the middle of an event, which is not printed; a blank line ends an event",
                    ),
                    DecodeError::EventTooLarge { limit } => complain(format_args!(
                        "an event has more than {limit} bytes and is not printed; the stream goes on after it",
                    )),
                    error => complain(error),
                }
                self.code = ExitCode::FAILURE;
            }
            Err(Error::Transport(error)) => return Err(Stop::Read(root(&error).to_string())),
            Err(error) => return Err(Stop::Read(error.to_string())),
        }
        Ok(())
    }
}

/// A browser drops an event that was cut off and says nothing. Someone who looks on wants to know that the
/// output is not all there was.
fn decoder() -> Decoder {
    Decoder::new().with_eof(Eof::Error)
}

/// Why there is nothing more to print. Each says what went wrong and what to do, in one line.
#[derive(Debug, thiserror::Error)]
enum Stop {
    #[error("{0}; see --help")]
    Usage(#[from] lexopt::Error),
    #[error("cannot open {path:?}: {error}; give a file, - for standard input, or a URL with its http:// or https://")]
    Open { path: PathBuf, error: io::Error },
    #[error(transparent)]
    Fetch(#[from] FetchError),
    #[error("cannot read any further: {0}; check where the stream comes from, and run it again")]
    Read(String),
    #[error("cannot write the events: {0}; make room for the output, or send it elsewhere")]
    Output(io::Error),
    #[error("cannot serve the demonstration: {0}; give a URL, a file or - instead")]
    Demo(io::Error),
    #[error("cannot start the asynchronous runtime: {0}; close other programs and run it again")]
    Runtime(io::Error),
}

/// HTTP clients wrap the reason in layer after layer; the innermost says what happened.
fn root<'e>(mut error: &'e (dyn StdError + 'static)) -> &'e (dyn StdError + 'static) {
    while let Some(source) = error.source() {
        error = source;
    }
    error
}

/// `eprintln!` would panic where nobody reads standard error any more.
fn complain(what: impl std::fmt::Display) {
    let _ = writeln!(io::stderr(), "tail: {what}");
}
