//! Prints the events of a Server-Sent Events stream as they arrive, from a URL, a file or standard input.
//!
//! Without arguments, it serves a chat stream on the loopback interface and prints that. `--help` describes the
//! options.

mod args;
mod bare_url;
mod beginning;
mod client;
mod demo;
mod failure;
mod fetch;
#[cfg(test)]
mod laws;
mod observed;
mod place;
mod print;
mod printable;
mod refusal;
mod request;
mod stop;
mod timestamp;
mod usage;

use std::cell::RefCell;
use std::error::Error as StdError;
use std::fmt::Display;
use std::fs::File;
use std::io::{self, Read, Write};
use std::process::ExitCode;

use eventwire::{Block, DecodeError, Decoder, Eof, Error, Events, ReadChunks};
use eventwire_client::{ConnectionError, Item, Stopped};
use futures_util::StreamExt;
use reqwest::Client;

use args::{Command, Source};
use beginning::{Beginning, Kind};
use demo::Demo;
use failure::Failure;
use place::Place;
use print::{Output, Printer};
use printable::OneLine;
use request::Request;
use stop::Stop;
use timestamp::Arrival;

fn main() -> ExitCode {
    match run() {
        Ok(code) => code,
        // The reader closed the output, as in `eventwire | head -1`.
        Err(Stop::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(stop) => {
            report(&mut io::stderr(), &stop);
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<ExitCode, Stop> {
    let (source, output) = match args::parse(lexopt::Parser::from_env())? {
        Command::Help => {
            io::stdout().write_all(usage::USAGE.as_bytes()).map_err(Stop::Output)?;
            return Ok(ExitCode::SUCCESS);
        }
        Command::Version => {
            writeln!(io::stdout(), "eventwire {}", env!("CARGO_PKG_VERSION")).map_err(Stop::Output)?;
            return Ok(ExitCode::SUCCESS);
        }
        Command::Print { source, output } => (source, output),
    };
    let session = Session::new(io::stdout().lock(), io::stderr(), output);
    match source {
        Source::Stdin => session.read(io::stdin().lock(), Place::Stdin),
        Source::File(path) if path.is_dir() => Err(Stop::Directory(path)),
        Source::File(path) => match File::open(&path) {
            Ok(file) => session.read(file, Place::File(path)),
            Err(error) => Err(Stop::open(&path, error)),
        },
        Source::Url { url, request } => session.fetch(&client::client()?, &url, &request),
        Source::Demo => {
            let demo = Demo::serve().map_err(Stop::Demo)?;
            report(&mut io::stderr(), &demo);
            session.fetch(&client::loopback_client()?, &demo.url, &Request::default())
        }
    }
}

/// Prints one source of events, and stores the exit code.
struct Session<W: Write, E> {
    output: Output,
    printer: Printer<W>,
    /// Standard error.
    err: E,
    arrival: Arrival,
    code: ExitCode,
}

impl<W: Write, E: Write> Session<W, E> {
    fn new(out: W, err: E, output: Output) -> Session<W, E> {
        let arrival = Arrival::now();
        let printer = Printer::new(out, output, arrival.clone());
        Session { output, printer, err, arrival, code: ExitCode::SUCCESS }
    }

    fn read(mut self, reader: impl Read, place: Place) -> Result<ExitCode, Stop> {
        let beginning = RefCell::new(Beginning::default());
        let arrival = self.arrival.clone();
        let chunks = ReadChunks::new(reader).take_while(|chunk| {
            arrival.update();
            beginning.borrow_mut().accepts(chunk)
        });
        // Browsers silently drop a truncated event. The user should know that the output is incomplete.
        let events = Events::with_decoder(chunks, Decoder::new().with_eof(Eof::Error));
        if self.output.comments {
            self.print(events.blocks(), &place, &beginning)?;
        } else {
            self.print(events.map(|event| event.map(Block::Event)), &place, &beginning)?;
        }
        self.explain(&place, &beginning.into_inner());
        Ok(self.code)
    }

    fn print(
        &mut self,
        blocks: impl Iterator<Item = Result<Block, Error<io::Error>>>,
        place: &Place,
        beginning: &RefCell<Beginning>,
    ) -> Result<(), Stop> {
        for block in blocks {
            match block {
                Ok(Block::Event(event)) => self.printer.print_event(&event).map_err(Stop::Output)?,
                Ok(Block::Comment(comment)) => self.printer.print_comment(&comment).map_err(Stop::Output)?,
                Ok(_) => {}
                Err(Error::Decode(error)) => {
                    if error == DecodeError::UnexpectedEof {
                        check(place, &beginning.borrow())?;
                    }
                    self.skip(error);
                }
                Err(error) => return Err(Stop::Read(root(&error).to_string())),
            }
        }
        check(place, &beginning.borrow())
    }

    fn fetch(mut self, client: &Client, url: &str, request: &Request) -> Result<ExitCode, Stop> {
        let url = fetch::url(url)?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(Stop::Runtime)?;
        runtime.block_on(async {
            let mut source = fetch::source(client, url.clone(), request, self.arrival.clone())?;
            if self.output.comments {
                source = source.with_blocks();
            }
            let url = fetch::public(&url);
            let place = Place::Url(url.clone());
            while let Some(item) = source.next().await {
                match item {
                    Item::Event(event) => self.printer.print_event(&event).map_err(Stop::Output)?,
                    Item::Comment(comment) => self.printer.print_comment(&comment).map_err(Stop::Output)?,
                    Item::Undecodable(error) => self.skip(error),
                    Item::Reconnecting { error, delay, .. } => {
                        let beginning = source.connector().beginning();
                        let why = match check(&place, &beginning) {
                            Err(stop @ Stop::Gzip { .. }) if is_end(&error) => return Err(stop),
                            Err(stop) if is_end(&error) => stop.to_string(),
                            _ => Failure { url: &url, error: &error }.to_string(),
                        };
                        self.report(format_args!("{why}; reconnecting in {:.1} s", delay.as_secs_f64()));
                    }
                    _ => {}
                }
            }
            let beginning = source.connector().take_beginning();
            let has_ended = source.stopped().and_then(Stopped::error).is_some_and(is_end);
            if has_ended {
                check(&place, &beginning)?;
            }
            fetch::end(source, &url, request)?;
            if has_ended {
                self.explain(&place, &beginning);
            }
            Ok(self.code)
        })
    }

    /// Reports why nothing was printed, unless an error was reported already.
    fn explain(&mut self, place: &Place, beginning: &Beginning) {
        if self.printer.has_printed() || self.code != ExitCode::SUCCESS {
            return;
        }
        self.report(match beginning.kind() {
            Kind::Blank => format!("no event in {place}; it is empty"),
            _ => format!("no event in {place}; it has only comments, or fields without data"),
        });
    }

    /// Reports an event or a comment that cannot be decoded, and sets the exit code. The decoder continues after
    /// it.
    fn skip(&mut self, error: DecodeError) {
        match error {
            DecodeError::UnexpectedEof => self.report(
                "the stream ended in the middle of an event, which was not printed; each event must end with a blank line",
            ),
            DecodeError::EventTooLarge { limit, .. } => {
                self.report(format_args!("skipped an event of more than {limit} bytes; the stream continues after it"));
            }
            DecodeError::CommentTooLarge { limit, .. } => {
                self.report(format_args!("skipped a comment of more than {limit} bytes; the stream continues after it"));
            }
            error => self.report(error),
        }
        self.code = ExitCode::FAILURE;
    }

    fn report(&mut self, what: impl Display) {
        report(&mut self.err, what);
    }
}

/// Returns an error if the input is not an event stream. Nothing of it has been printed then.
fn check(place: &Place, beginning: &Beginning) -> Result<(), Stop> {
    match beginning.kind() {
        Kind::Blank | Kind::EventStream => Ok(()),
        Kind::Other => Err(Stop::NoEvent { place: place.clone(), beginning: beginning.to_string() }),
        Kind::Gzip => Err(Stop::Gzip { place: place.clone() }),
    }
}

/// Returns whether the body of a response was read to its end.
fn is_end(error: &ConnectionError<reqwest::Error>) -> bool {
    matches!(error, ConnectionError::Ended | ConnectionError::EndedInEvent)
}

/// Returns the innermost source. HTTP clients wrap an error several times, and the innermost one describes what
/// happened.
fn root<'e>(mut error: &'e (dyn StdError + 'static)) -> &'e (dyn StdError + 'static) {
    while let Some(source) = error.source() {
        error = source;
    }
    error
}

/// Writes one line to standard error. Unlike `eprintln!` it does not panic if standard error is closed.
fn report(err: &mut impl Write, what: impl Display) {
    let _ = writeln!(err, "eventwire: {}", OneLine(&what.to_string()));
}
