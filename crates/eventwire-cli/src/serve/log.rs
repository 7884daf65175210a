//! What the server says on standard error.

use std::fmt;
use std::io::{self, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::Path;
use std::sync::mpsc::{self, SyncSender};
use std::thread;

use eventwire_test::End;
use eventwire_test::internal::{How, Served};
use serde::Serialize;
use serde_json::json;

use crate::print::{Count, Printable};
use crate::printable::OneLine;

/// How many lines wait at most for somebody who reads standard error.
const MOST_LINES: usize = 1024;

/// Writes lines to standard error, on a thread of its own: if nobody reads them, the server goes on.
pub(super) struct Log {
    format: Format,
    lines: SyncSender<Vec<u8>>,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Format {
    Text,
    Json,
}

/// What is known of a connection before it ends.
pub(super) struct Entry {
    /// Its number, from 1.
    pub(super) number: u64,
    pub(super) status: u16,
    pub(super) problem: Option<String>,
}

/// A connection that has ended. The keys of JSON have this order.
#[derive(Serialize)]
struct Ended {
    connection: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_event_id: Option<String>,
    status: u16,
    events: u64,
    bytes: u64,
    end: &'static str,
    seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
}

impl Log {
    pub(super) fn new(format: Format) -> Log {
        let (lines, waiting) = mpsc::sync_channel::<Vec<u8>>(MOST_LINES);
        // It ends with the program.
        thread::spawn(move || waiting.iter().for_each(|line| drop(io::stderr().write_all(&line))));
        Log { format, lines }
    }

    /// The server is ready.
    pub(super) fn start(&self, place: &Path, address: SocketAddr) {
        let place = place.display().to_string();
        let ip = match address.ip() {
            IpAddr::V4(Ipv4Addr::UNSPECIFIED) => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V6(Ipv6Addr::UNSPECIFIED) => Ipv6Addr::LOCALHOST.into(),
            ip => ip,
        };
        let url = format!("http://{}/", SocketAddr::new(ip, address.port()));
        self.write(format_args!("serving {place} at {url}; stop with Ctrl-C"), &json!({"serving": place, "url": url}));
        if !address.ip().is_loopback() {
            let warning = "other machines can reach this address";
            self.write(
                format_args!("warning: {warning}; without --listen, only this one can"),
                &json!({"warning": warning}),
            );
        }
    }

    /// Something is wrong with the server.
    pub(super) fn problem(&self, error: &anyhow::Error) {
        self.write(format_args!("{error:#}"), &json!({"problem": format!("{error:#}")}));
    }

    /// Something about the files that are served is probably not what was meant.
    pub(super) fn warning(&self, text: &str) {
        self.write(format_args!("warning: {text}"), &json!({"warning": text}));
    }

    /// A connection has ended. One without a request that could be read gets its number now.
    pub(super) fn end(&self, served: Served<Entry>, count: impl FnOnce() -> u64) {
        let (request, entry) = served.answered.unzip();
        let (end, failure) = match served.how {
            How::Played(End::Complete) => ("complete", None),
            How::Played(End::Close) => ("close", None),
            How::Played(End::Reset) => ("reset", None),
            // A stall lasts until the client leaves, with or without keep-alives.
            How::Played(End::Stall) | How::Left => ("left", None),
            How::BadRequest(error) => ("complete", Some(error.to_string())),
            How::Failed(error) => ("failed", Some(error.to_string())),
        };
        let Entry { number, status, problem } =
            entry.unwrap_or_else(|| Entry { number: count(), status: 400, problem: None });
        let last_id = request.as_ref().and_then(|request| request.headers().get("last-event-id"));
        let ended = Ended {
            connection: number,
            method: request.as_ref().map(|request| request.method().to_string()),
            path: request.as_ref().map(|request| request.uri().path().to_owned()),
            last_event_id: last_id.map(|id| String::from_utf8_lossy(id.as_bytes()).into_owned()),
            status,
            events: served.events,
            bytes: served.bytes,
            end,
            seconds: (served.time.as_secs_f64() * 1000.0).round() / 1000.0,
            problem: failure.or(problem),
        };
        self.write(&ended, &ended);
    }

    /// Writes one line. That standard error is closed is no reason to stop.
    fn write(&self, text: impl fmt::Display, object: &impl Serialize) {
        let mut line = Vec::new();
        let written = match self.format {
            Format::Text => writeln!(line, "{}", OneLine(&text.to_string())),
            Format::Json => Printable::write_line(&mut line, object),
        };
        // A `Vec` takes everything. If too many lines wait, this one is left out.
        let _ = written.map(|()| self.lines.try_send(line));
    }
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Ended { connection, method, path, last_event_id, status, events, bytes, end, seconds, problem } = self;
        write!(f, "{connection}")?;
        if let (Some(method), Some(path)) = (method, path) {
            write!(f, " {method} {path}")?;
        }
        if let Some(id) = last_event_id {
            write!(f, " after {id:?}")?;
        }
        let end = match *end {
            "close" => "closed",
            "left" => "closed by the client",
            end => end,
        };
        let (events, bytes) = (Count(*events, "event"), Count(*bytes, "byte"));
        write!(f, ": {status}, {events}, {bytes}, {end}, {seconds:.3} s")?;
        problem.iter().try_for_each(|problem| write!(f, "; {problem}"))
    }
}
