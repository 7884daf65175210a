//! Prints the events of a stream as they come: of a URL, to which it stays connected with `--follow`, a file or standard input.
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
use failure::Failure;
use print::Printer;
use request::Request;
use stop::Stop;

fn main() -> ExitCode {
    match run() {
        Ok(code) => code,
        // `eventwire | head -1` has what it wanted.
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
            io::stdout().write_all(usage::USAGE.as_bytes()).map_err(Stop::Output)?;
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
        Source::Url { url, request } => tail.fetch(&client::client()?, &url, &request),
        Source::Demo => {
            let url = demo::serve().map_err(Stop::Demo)?;
            tail.fetch(&client::loopback_client()?, &url, &Request::default())
        }
    }
}

/// What stands between a source of events and the terminal.
struct Tail {
    printer: Printer,
    code: ExitCode,
}

impl Tail {
    fn read(mut self, reader: impl Read) -> Result<ExitCode, Stop> {
        // A browser drops an event that was cut off and says nothing. Someone who looks on wants to know that the
        // output is not all there was.
        let decoder = Decoder::new().with_eof(Eof::Error);
        for event in Events::with_decoder(ReadChunks::new(reader), decoder) {
            match event {
                Ok(event) => self.printer.print(&event).map_err(Stop::Output)?,
                Err(Error::Decode(error)) => self.pass_over(error),
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
            let url = fetch::public(url);
            while let Some(item) = source.next().await {
                match item {
                    Item::Event(event) => self.printer.print(&event).map_err(Stop::Output)?,
                    Item::Undecodable(error) => self.pass_over(error),
                    Item::Reconnecting { error, delay, .. } => {
                        let failure = Failure { url: &url, error: &error };
                        complain(format_args!("{failure}; connecting again in {:.1} s", delay.as_secs_f64()));
                    }
                    _ => {}
                }
            }
            fetch::end(source, &url, request)?;
            Ok(self.code)
        })
    }

    /// What cannot be decoded is told and remembered in the exit code, and the stream goes on: the decoder is at the
    /// next event already.
    fn pass_over(&mut self, error: DecodeError) {
        match error {
            DecodeError::UnexpectedEof => complain(format_args!(
                "the stream ended in the middle of an event, which is not printed; a blank line ends an event",
            )),
            DecodeError::EventTooLarge { limit, .. } => complain(format_args!(
                "an event has more than {limit} bytes and is not printed; the stream goes on after it",
            )),
            error => complain(error),
        }
        self.code = ExitCode::FAILURE;
    }
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
    let _ = writeln!(io::stderr(), "eventwire: {what}");
}
