//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;

use lexopt::Arg;

use crate::print::Format;

pub(crate) const USAGE: &str = "\
Prints the events of a stream of Server-Sent Events as they come.

Usage: tail [--json] [URL | FILE | -]

  URL         an http:// or https:// address that answers with text/event-stream
  FILE        a file that holds an event stream
  -           standard input
              Without any of them: a chat stream served on the loopback interface.

Options:
  --json      one JSON object a line, with the keys event, data and id
  -h, --help  this text

Without --json an event is printed as its type, its ID in brackets, and its data;
control characters are shown as escapes. Colours can be turned off with NO_COLOR.

Exit code:
  0  the stream ended between two events, or nobody reads the output any more
  1  the stream could not be read to its end, or something of it could not be
     printed: an event that was cut off, or that is larger than 16 MiB. One line
     on standard error says what, and every other event has been printed.
";

pub(crate) enum Command {
    Help,
    Tail { source: Source, format: Format },
}

pub(crate) enum Source {
    Demo,
    Url(String),
    File(PathBuf),
    Stdin,
}

pub(crate) fn parse(mut parser: lexopt::Parser) -> Result<Command, lexopt::Error> {
    let mut source = Source::Demo;
    let mut format = Format::for_stdout();
    while let Some(arg) = parser.next()? {
        match arg {
            Arg::Short('h') | Arg::Long("help") => return Ok(Command::Help),
            Arg::Long("json") => format = Format::Json,
            Arg::Value(value) if matches!(source, Source::Demo) => source = Source::named(value),
            _ => return Err(arg.unexpected()),
        }
    }
    Ok(Command::Tail { source, format })
}

impl Source {
    /// `://` is what tells a URL from a path; whether its scheme can be fetched is for `fetch` to say.
    fn named(value: OsString) -> Source {
        match value.into_string() {
            Ok(dash) if dash == "-" => Source::Stdin,
            Ok(url) if url.contains("://") => Source::Url(url),
            Ok(path) => Source::File(path.into()),
            Err(path) => Source::File(path.into()),
        }
    }
}
