//! Prints the events of a Server-Sent Events stream as they arrive, from a URL, a file or standard input.
//!
//! Without arguments it serves a chat stream on the loopback interface and prints that; `--help` lists the rest.

mod args;
mod client;
mod demo;
mod failure;
mod fetch;
mod print;
mod refusal;
mod request;
mod stop;
mod usage;

use std::error::Error as StdError;
use std::fs::File;
use std::io::{self, Read, Write};
use std::process::ExitCode;

use eventwire::client::Item;
use eventwire::{DecodeError, Decoder, Eof, Error, Events, ReadChunks};
use futures_util::StreamExt;
use reqwest::Client;

use args::{Command, Source};
use demo::Demo;
use failure::Failure;
use print::Printer;
use request::Request;
use stop::Stop;

fn main() -> ExitCode {
    match run() {
        Ok(code) => code,
        // The reader has all it wants, as in `eventwire | head -1`.
        Err(Stop::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(stop) => {
            report(&stop);
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<ExitCode, Stop> {
    let (source, format) = match args::parse(lexopt::Parser::from_env())? {
        Command::Help => {
            io::stdout().write_all(usage::USAGE.as_bytes()).map_err(Stop::Output)?;
            return Ok(ExitCode::SUCCESS);
        }
        Command::Version => {
            writeln!(io::stdout(), "eventwire {}", env!("CARGO_PKG_VERSION")).map_err(Stop::Output)?;
            return Ok(ExitCode::SUCCESS);
        }
        Command::Print { source, format } => (source, format),
    };
    let session = Session { printer: Printer::new(format), code: ExitCode::SUCCESS };
    match source {
        Source::Stdin => session.read(io::stdin().lock()),
        Source::File(path) => match File::open(&path) {
            Ok(file) => session.read(file),
            Err(error) => Err(Stop::Open { path, error }),
        },
        Source::Url { url, request } => session.fetch(&client::client()?, &url, &request),
        Source::Demo => {
            let demo = Demo::serve().map_err(Stop::Demo)?;
            report(&demo);
            session.fetch(&client::loopback_client()?, &demo.url, &Request::default())
        }
    }
}

/// Prints one source of events, and keeps the exit code.
struct Session {
    printer: Printer,
    code: ExitCode,
}

impl Session {
    fn read(mut self, reader: impl Read) -> Result<ExitCode, Stop> {
        // A browser silently drops an event that was cut off. A user should know that the output is incomplete.
        let decoder = Decoder::new().with_eof(Eof::Error);
        for event in Events::with_decoder(ReadChunks::new(reader), decoder) {
            match event {
                Ok(event) => self.printer.print(&event).map_err(Stop::Output)?,
                Err(Error::Decode(error)) => self.skip(error),
                Err(error) => return Err(Stop::Read(root(&error).to_string())),
            }
        }
        Ok(self.code)
    }

    fn fetch(mut self, client: &Client, url: &str, request: &Request) -> Result<ExitCode, Stop> {
        let url = fetch::url(url)?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(Stop::Runtime)?;
        runtime.block_on(async {
            let mut source = fetch::source(client, url.clone(), request)?;
            let url = fetch::public(&url);
            while let Some(item) = source.next().await {
                match item {
                    Item::Event(event) => self.printer.print(&event).map_err(Stop::Output)?,
                    Item::Undecodable(error) => self.skip(error),
                    Item::Reconnecting { error, delay, .. } => {
                        let failure = Failure { url: &url, error: &error };
                        report(format_args!("{failure}; reconnecting in {:.1} s", delay.as_secs_f64()));
                    }
                    _ => {}
                }
            }
            fetch::end(source, &url, request)?;
            Ok(self.code)
        })
    }

    /// Reports an event that cannot be decoded, and sets the exit code. The decoder continues with the next event.
    fn skip(&mut self, error: DecodeError) {
        match error {
            DecodeError::UnexpectedEof => report(
                "the stream ended in the middle of an event, which was not printed; each event must end with a blank line",
            ),
            DecodeError::EventTooLarge { limit, .. } => {
                report(format_args!("skipped an event of more than {limit} bytes; the stream continues after it"));
            }
            error => report(error),
        }
        self.code = ExitCode::FAILURE;
    }
}

/// The innermost source. HTTP clients wrap an error several times, and the innermost one says what happened.
fn root<'e>(mut error: &'e (dyn StdError + 'static)) -> &'e (dyn StdError + 'static) {
    while let Some(source) = error.source() {
        error = source;
    }
    error
}

/// Writes one line to standard error. Unlike `eprintln!` it does not panic if standard error is closed.
fn report(what: impl std::fmt::Display) {
    let _ = writeln!(io::stderr(), "eventwire: {what}");
}
