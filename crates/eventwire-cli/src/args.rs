//! The command line.

use std::path::PathBuf;

use anyhow::{anyhow, bail};
use lexopt::{Arg, ValueExt};
use reqwest::Url;

use crate::print::{Format, Output};
use crate::request::Request;

pub(crate) enum Command {
    Say(&'static str),
    Print { input: Input, output: Output },
}

pub(crate) enum Input {
    Demo,
    Stdin,
    File(PathBuf),
    Url(Url, Box<Request>),
}

pub(crate) fn parse(parser: lexopt::Parser) -> anyhow::Result<Command> {
    command(parser).map_err(|error| anyhow!("{error:#}; see --help"))
}

fn command(mut parser: lexopt::Parser) -> anyhow::Result<Command> {
    let mut place = None;
    let mut output = Output { format: Format::for_stdout(), comments: false, timestamps: false };
    let mut request = Request::default();
    while let Some(arg) = parser.next()? {
        match arg {
            Arg::Short('h') | Arg::Long("help") => return Ok(Command::Say(USAGE)),
            Arg::Short('V') | Arg::Long("version") => return Ok(Command::Say(VERSION)),
            Arg::Long("json") => output.format = Format::Json,
            Arg::Long("comments") => output.comments = true,
            Arg::Long("timestamps") => output.timestamps = true,
            Arg::Short('f') | Arg::Long("follow") => request.follow = true,
            Arg::Long("last-event-id") => request.last_event_id = Some(parser.value()?.string()?),
            Arg::Long("post") => request.post = Some(parser.value()?.string()?),
            Arg::Long("header") => request.add_header(&parser.value()?.string()?)?,
            Arg::Value(value) if place.is_none() => place = Some(value),
            _ => return Err(arg.unexpected().into()),
        }
    }
    let input = match place {
        None => Input::Demo,
        Some(dash) if dash == "-" => Input::Stdin,
        // Anything with `://` in it is a URL, anything else a path.
        Some(place) => match place.to_str().filter(|place| place.contains("://")) {
            Some(text) => return Ok(Command::Print { input: Input::Url(url(text)?, Box::new(request)), output }),
            None => Input::File(place.into()),
        },
    };
    if request != Request::default() {
        bail!("--follow, --last-event-id, --post and --header are for a URL, which starts with http:// or https://");
    }
    Ok(Command::Print { input, output })
}

fn url(text: &str) -> anyhow::Result<Url> {
    match Url::parse(text) {
        Ok(url) if matches!(url.scheme(), "http" | "https") => Ok(url),
        Ok(url) => bail!("cannot read {}:// URLs, only http:// and https://", url.scheme()),
        Err(error) => bail!("this is not a URL: {error}; write it as http://host:port/path"),
    }
}

const VERSION: &str = concat!("eventwire ", env!("CARGO_PKG_VERSION"), "\n");

const USAGE: &str = "\
Prints the events of a Server-Sent Events stream as they arrive.

Usage: eventwire [OPTIONS] [URL | FILE | -]

Arguments:
  URL   an http:// or https:// URL that serves text/event-stream
  FILE  a file that contains an event stream
  -     standard input
  Without one, it prints a demo: a chat stream.

Options:
      --json        Print each event as one line of JSON: event and data; id
                    if it was set since the event before; retry, in
                    milliseconds, if the event sets it
      --comments    Print comments too, in JSON as {\"comment\":\"...\"}
      --timestamps  Print the time before each event and comment, in UTC; in
                    JSON it is the first key, time
  -h, --help        Print this help
  -V, --version     Print the version

Options for a URL:
  -f, --follow      Reconnect when the connection drops, and continue after the
                    last event. A line on standard error gives reason and delay
      --last-event-id ID
                    Start after the event with this ID, if the server has it
      --post BODY   Send a POST with this body, as application/json: a text,
                    @FILE, or @- for standard input. With --follow it is sent
                    again only if no connection was made, or after a 429
      --header 'NAME: VALUE'
                    Add a header, such as 'Authorization: Bearer KEY', or
                    replace Accept, Cache-Control or Content-Type. Repeatable
  Up to 10 redirects are followed, but not from https:// to http://, and with
  --post or --header not to another scheme, host or port.

Compressed streams need another program:
  curl -sN --compressed URL | eventwire -
  gunzip -c FILE | eventwire -

Control characters, and characters that reorder or hide text, are escaped. On a
terminal, types and IDs are coloured, unless NO_COLOR is set.

Exit codes:
  0  The stream ended after a complete event, or the output was closed
  1  The input could not be read to its end, is not an event stream, or an
     event in it was truncated or larger than 16 MiB; or the command line is
     wrong. One line on standard error says so
";
