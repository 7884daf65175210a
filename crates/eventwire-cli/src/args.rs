//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;

use lexopt::{Arg, ValueExt};

use crate::bare_url;
use crate::print::{Format, Output};
use crate::request::{Body, Request};

pub(crate) enum Command {
    Help,
    Version,
    Print { source: Source, output: Output },
}

pub(crate) enum Source {
    Demo,
    Url { url: String, request: Request },
    File(PathBuf),
    Stdin,
}

pub(crate) fn parse(mut parser: lexopt::Parser) -> Result<Command, lexopt::Error> {
    let mut place = None;
    let mut output = Output { format: Format::for_stdout(), comments: false, timestamps: false };
    let mut request = Request::default();
    while let Some(arg) = parser.next()? {
        match arg {
            Arg::Short('h') | Arg::Long("help") => return Ok(Command::Help),
            Arg::Short('V') | Arg::Long("version") => return Ok(Command::Version),
            Arg::Long("json") => output.format = Format::Json,
            Arg::Long("comments") => output.comments = true,
            Arg::Long("timestamps") => output.timestamps = true,
            Arg::Short('f') | Arg::Long("follow") => request.follow = true,
            Arg::Long("last-event-id") => request.set_last_event_id(parser.value()?.string()?),
            Arg::Long("post") => request.post = Some(Body::named(parser.value()?.string()?)),
            Arg::Long("header") => request.add_header(&parser.value()?.string()?)?,
            Arg::Value(value) if place.is_none() => place = Some(value),
            _ => return Err(arg.unexpected()),
        }
    }
    Ok(Command::Print { source: Source::new(place, request)?, output })
}

impl Source {
    /// Anything with `://` in it is a URL, anything else a path. `fetch` checks the scheme.
    fn new(place: Option<OsString>, request: Request) -> Result<Source, String> {
        let (source, what) = match place.map(OsString::into_string) {
            None => (Source::Demo, "the demo"),
            Some(Ok(dash)) if dash == "-" => (Source::Stdin, "standard input"),
            Some(Ok(url)) if url.contains("://") => return Ok(Source::Url { url, request }),
            Some(Ok(path)) => (Source::File(path.into()), "a file"),
            Some(Err(path)) => (Source::File(path.into()), "a file"),
        };
        let Some(option) = request.first_option() else { return Ok(source) };
        let meant = match &source {
            Source::File(path) => bare_url::meant_by(path),
            _ => None,
        };
        Err(match meant {
            Some(url) => format!("{option} is for a URL, not for {what}; if this is a URL, write {url}"),
            None => format!("{option} is for an http:// or https:// URL, not for {what}"),
        })
    }
}
