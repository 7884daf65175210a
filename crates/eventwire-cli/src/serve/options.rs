//! The options of the command.

use std::num::{NonZeroU32, NonZeroU64};
use std::path::PathBuf;

use anyhow::bail;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use eventwire_test::internal::{Chunking, Faults, Pace, Place};
use eventwire_test::{End, Resume, Script};
use reqwest::Url;
use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::Error;

use super::Serve;
use super::listen::Listen;
use super::log::{Format, Log};
use super::plan::{Fault, Plan};
use crate::args::{from_one, from_zero, time};
use crate::request::header;

/// The page that `--html` sends.
const PAGE: &str = "<!doctype html>\n<title>Sign in</title>\n<h1>Sign in to continue</h1>\n";

/// Serves a recorded or written stream, and breaks it as the options say: a server for testing clients.
///
/// FILE is a recording or a plain event stream, as curl saves one, and is sent for each path of a URL. If you give a
/// DIRECTORY, the path of the URL selects a file in it. If a recording has several answers, the second connection gets
/// the second one, and so on; later connections get the last answer again. A recording is a text file: the format is
/// described at https://docs.rs/eventwire-test/latest/eventwire_test/recordings/.
///
/// The options replace what the file says. The server speaks HTTP/1.1, one request for each connection. When a
/// connection ends, one line about it goes to standard error.
#[derive(Args)]
#[command(args_override_self = true, max_term_width = 80, after_help = EXAMPLES)]
pub(crate) struct ServeOptions {
    /// A recording, an event stream such as chat.sse, or a directory of both
    #[arg(value_name = "FILE|DIRECTORY")]
    place: PathBuf,
    /// Listen at this port, or address and port: 8080, 0.0.0.0:8080 or [::1]:8080. Port 0 picks a free one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080")]
    listen: Listen,
    /// Send the chunks as they were recorded (recorded), at once (none), four times as fast (4x), or one every 100 ms
    /// (100ms) or two seconds (2s). A plain event stream has no times, and its chunks are its events
    #[arg(long, value_name = "PACE")]
    pace: Option<Pace>,
    /// Cut the stream into chunks of this many bytes, or into chunks of a random length (random). Each is one chunk of
    /// HTTP and one write
    #[arg(long, value_name = "N")]
    chunk: Option<Chunking>,
    /// Send a comment after each silence of this time
    #[arg(long, value_name = "SECONDS", value_parser = milliseconds)]
    keep_alive: Option<NonZeroU32>,
    /// Begin again after the last chunk, without end
    #[arg(long)]
    repeat: bool,
    /// To a client with a Last-Event-ID, send what follows (exact), everything (ignore), that event and what follows
    /// (repeat), or what follows without its first event (skip). Default: exact if the file has one answer, else ignore
    #[arg(long, value_name = "HOW", value_parser = words::<Resume>(["exact", "ignore", "repeat", "skip"]))]
    #[arg(hide_possible_values = true)]
    resume: Option<Resume>,
    /// Seed for random chunks and garbage: the same seed gives the same bytes. Each further connection uses the next
    /// number [default: 0]
    #[arg(long, value_name = "N", value_parser = from_zero)]
    seed: Option<u64>,
    /// Let pages of this origin read the stream: https://app.example.com, or * for all of them
    #[arg(long, value_name = "ORIGIN", value_parser = origin)]
    cors: Option<String>,
    /// Print the lines on standard error as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    faults: FaultOptions,
}

#[derive(Args)]
#[command(next_help_heading = "Faults")]
struct FaultOptions {
    /// End after 3 events (3), after 100 bytes (100b), or 5 bytes after the third event (3+5b). The connection is
    /// closed, unless there is an --end
    #[arg(long, value_name = "PLACE")]
    cut_after: Option<Place>,
    /// How the answer ends: complete; close (FIN) or reset (RST) before its end; stall: silent and open
    #[arg(long, value_name = "HOW", value_parser = words::<End>(["complete", "close", "reset", "stall"]))]
    #[arg(hide_possible_values = true)]
    end: Option<End>,
    /// Replace about one byte in N by 0xFF, which is not UTF-8. Line ends stay
    #[arg(long, value_name = "N", value_parser = from_one::<NonZeroU32>)]
    garbage: Option<NonZeroU32>,
    /// Answer with this status and without a body
    #[arg(long, value_name = "CODE", value_parser = status)]
    status: Option<u16>,
    /// Add Retry-After to the --status
    #[arg(long, value_name = "SECONDS", value_parser = from_zero)]
    retry_after: Option<u64>,
    /// Answer with a page of HTML, as a proxy or a login does. The status is 200, or the --status
    #[arg(long)]
    html: bool,
    /// Add a header to the answer, such as 'Content-Type: text/plain', or replace that of the file. Repeatable
    #[arg(long = "header", value_name = "NAME: VALUE", allow_hyphen_values = true)]
    headers: Vec<String>,
    /// Only the first N connections have these faults. In a directory, each file is counted separately
    #[arg(long, value_name = "N", value_parser = from_one::<NonZeroU64>)]
    times: Option<NonZeroU64>,
    /// After N connections, answer 204 No Content, which ends an EventSource
    #[arg(long, value_name = "N", value_parser = from_zero)]
    no_content_after: Option<u64>,
}

const EXAMPLES: &str = "\
Examples:
  eventwire serve chat.sse
  eventwire serve chat.sse --chunk 1 --pace 10ms
  eventwire serve chat.sse --cut-after 3 --times 2
  eventwire serve chat.sse --cut-after 3+5b --end reset
  eventwire serve chat.sse --status 503 --retry-after 2 --times 2
  eventwire serve recordings/ --pace 4x --cors http://localhost:3000

The server answers only requests for localhost, an IP address or the host of --listen (421 Misdirected Request), so \
that no page of another site can read a stream by making its own name point to this address.";

impl ServeOptions {
    pub(crate) fn into_serve(self) -> anyhow::Result<Serve> {
        let ServeOptions { place, listen, pace, chunk, keep_alive, repeat, resume, seed, cors, json, faults } = self;
        if repeat && faults.end.is_some() && faults.cut_after.is_none() {
            bail!("a stream with --repeat has no --end; add --cut-after, or leave one of them out");
        }
        if place.as_os_str() == "-" {
            bail!("standard input is not supported; give a file");
        }
        if place.to_str().is_some_and(|place| place.starts_with("http://") || place.starts_with("https://")) {
            bail!("serve is for a file; to serve a stream, record it first: eventwire record URL -o FILE");
        }
        // They would be sent twice, with two values.
        let is_cors = |line: &String| line.to_ascii_lowercase().starts_with("access-control-allow-");
        if cors.is_some() && faults.headers.iter().any(is_cors) {
            bail!(
                "--cors sends the headers Access-Control-Allow-..., so they cannot be a --header; leave one of them out"
            );
        }
        let (times, no_content_after) = (faults.times, faults.no_content_after);
        let is_always_instead = faults.is_instead() && times.is_none();
        let changes_stream = pace.is_some() || chunk.is_some() || keep_alive.is_some() || resume.is_some();
        if is_always_instead && (changes_stream || repeat || seed.is_some()) {
            bail!(
                "--status and --html replace the stream, so --chunk, --pace, --keep-alive, --repeat, --resume and --seed \
                 have no effect; add --times, or leave one side out"
            );
        }
        let plan = Plan {
            manner: Faults { pace, chunk, keep_alive, repeat, resume, seed, ..Faults::default() },
            fault: faults.into_fault()?,
            times,
            no_content_after,
        };
        let log = Log::new(if json { Format::Json } else { Format::Text });
        Ok(Serve { place, listen, plan, cors, log })
    }
}

impl FaultOptions {
    /// Returns whether another answer is sent instead of the stream.
    fn is_instead(&self) -> bool {
        self.status.is_some() || self.html
    }

    fn into_fault(self) -> anyhow::Result<Fault> {
        let is_instead = self.is_instead();
        let FaultOptions { cut_after, end, garbage, status, retry_after, html, times, .. } = self;
        let changes_body = cut_after.is_some() || end.is_some() || garbage.is_some();
        let headers: Vec<(String, String)> =
            self.headers.iter().map(|line| lossless(line)).collect::<anyhow::Result<_>>()?;
        if retry_after.is_some() && status.is_none() {
            bail!("--retry-after is for an answer with a --status, such as --status 503");
        }
        if html && matches!(status, Some(204 | 304)) {
            bail!(
                "an answer with the --status 204 or 304 has no body, so it cannot have a page of --html; leave one out"
            );
        }
        if is_instead && changes_body {
            bail!(
                "--status and --html replace the stream, so --cut-after, --end and --garbage have no effect; leave one \
                 side out"
            );
        }
        if times.is_some() && !is_instead && !changes_body && headers.is_empty() {
            bail!(
                "--times is for the faults --cut-after, --end, --garbage, --status, --html and --header; add one of them"
            );
        }
        if !is_instead {
            let faults = Faults { cut_after, end, garbage, ..Faults::default() };
            return Ok(Fault::Changed { faults, headers });
        }
        let mut script = Script::status(status.unwrap_or(200));
        if let Some(seconds) = retry_after {
            script = script.header("retry-after", seconds.to_string());
        }
        let has = |name: &str| headers.iter().any(|(other, _)| other == name);
        script = headers.iter().cloned().fold(script, |script, (name, value)| script.header(name, value));
        if html {
            if !has("content-type") {
                script = script.header("content-type", "text/html; charset=utf-8");
            }
            if !has("content-length") {
                script = script.header("content-length", PAGE.len().to_string());
            }
            script = script.send(PAGE);
        }
        Ok(Fault::Instead(Box::new(script)))
    }
}

/// Reads a `--header`.
fn lossless(line: &str) -> anyhow::Result<(String, String)> {
    let (name, value) = header(line)?;
    Ok((name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned()))
}

/// Returns a parser of these words, which are also those of a recording.
fn words<T>(words: [&'static str; 4]) -> impl TypedValueParser<Value = T>
where
    T: for<'de> Deserialize<'de> + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(words).try_map(|word| T::deserialize(IntoDeserializer::<Error>::into_deserializer(word)))
}

fn status(text: &str) -> Result<u16, &'static str> {
    let status = text.parse().ok().filter(|status| (200..1000).contains(status));
    status.ok_or("write a status from 200 to 999")
}

fn milliseconds(text: &str) -> Result<NonZeroU32, String> {
    let milliseconds = u32::try_from(time(text)?.as_millis()).ok().and_then(NonZeroU32::new);
    milliseconds.ok_or_else(|| "write a time from a millisecond to a month".to_owned())
}

fn origin(text: &str) -> Result<String, &'static str> {
    match Url::parse(text) {
        _ if text == "*" => Ok(text.to_owned()),
        Ok(url) if url.has_host() => Ok(url.origin().ascii_serialization()),
        _ => Err("write it as https://app.example.com, or * for all origins"),
    }
}
