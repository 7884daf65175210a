//! What the server says on standard error.

use std::fmt;
use std::io::{self, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::Path;
use std::time::Duration;

use eventwire_test::End;
use eventwire_test::internal::{How, Served};
use serde::Serialize;
use serde_json::json;

use crate::print::Printable;
use crate::printable::OneLine;

/// Lines of text, or of JSON.
#[derive(Clone, Copy, Debug)]
pub(super) enum Log {
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
    /// The server is ready.
    pub(super) fn start(self, place: &Path, address: SocketAddr) {
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
    pub(super) fn problem(self, error: &anyhow::Error) {
        self.write(format_args!("{error:#}"), &json!({"problem": format!("{error:#}")}));
    }

    /// A connection has ended.
    pub(super) fn end(self, entry: Entry, served: Served, time: Duration) {
        let Entry { number, status, problem } = entry;
        let (end, failure) = match served.how {
            How::Played(End::Complete) | How::BadRequest(_) => ("complete", None),
            How::Played(End::Close) => ("close", None),
            How::Played(End::Reset) => ("reset", None),
            How::Played(End::Stall) => ("stall", None),
            How::Left => ("left", None),
            How::Failed(error) => ("failed", Some(error.to_string())),
        };
        let request = served.request.as_ref();
        let last_id = request.and_then(|request| request.headers().get("last-event-id"));
        let ended = Ended {
            connection: number,
            method: request.map(|request| request.method().to_string()),
            path: request.map(|request| request.uri().path().to_owned()),
            last_event_id: last_id.map(|id| String::from_utf8_lossy(id.as_bytes()).into_owned()),
            status,
            events: served.events,
            bytes: served.bytes,
            end,
            seconds: (time.as_secs_f64() * 1000.0).round() / 1000.0,
            problem: failure.or(problem),
        };
        self.write(&ended, &ended);
    }

    /// Writes one line. That standard error is closed is no reason to stop.
    fn write(self, text: impl fmt::Display, object: &impl Serialize) {
        let mut line = Vec::new();
        let written = match self {
            Log::Text => writeln!(line, "{}", OneLine(&text.to_string())),
            Log::Json => Printable::write_line(&mut line, object),
        };
        // A `Vec` takes everything.
        let _ = written.and_then(|()| io::stderr().write_all(&line));
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
            "stall" => "stalled",
            "left" => "closed by the client",
            end => end,
        };
        let plural = if *events == 1 { "" } else { "s" };
        write!(f, ": {status}, {events} event{plural}, {bytes} bytes, {end}, {seconds:.3} s")?;
        problem.iter().try_for_each(|problem| write!(f, "; {problem}"))
    }
}
