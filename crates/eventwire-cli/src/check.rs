//! The command `check`: says what is wrong with a server's stream, and what to change.

mod compression;
mod cors;
mod judgement;
mod refusal;
mod resume;
mod seen;
mod target;

use std::io::{self, IsTerminal, Read, Write};
use std::process::ExitCode;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};
use eventwire_lint::{Finding, Lint, Severity};
use reqwest::Url;
use tokio::runtime::Builder;

use crate::args::{Check, Dialect, Input};
use crate::input;
use crate::request::Request;
use crate::silence::WIPE;
use judgement::Judgement;
use seen::{Ended, Limits, Seen, Wanted};
use target::Target;

/// Prints what is wrong. The exit code is 1 if something fails.
pub(crate) fn run(args: Check) -> anyhow::Result<ExitCode> {
    let judgement = match &args.input {
        Input::Url(url, request) => {
            let runtime =
                Builder::new_current_thread().enable_all().build().context("cannot start the async runtime")?;
            let judgement = runtime.block_on(check_url(url, request, &args));
            tell("");
            judgement?
        }
        Input::File(path) => {
            let path = path.clone();
            check_body(move || input::file(&path), &args)?
        }
        Input::Stdin | Input::Demo => check_body(input::stdin, &args)?,
    };
    judgement.print(io::stdout().lock(), args.format)
}

/// Says on a terminal what is going on, in place of what was said before.
fn tell(what: &str) {
    if io::stderr().is_terminal() {
        let _ = write!(io::stderr(), "{WIPE}\x1B[2m{what}\x1B[0m");
    }
}

/// Returns a lint with the options.
fn lint(args: &Check) -> Lint {
    let lint = match args.dialect {
        Some(Dialect::Openai) => Lint::new().with_openai(),
        None => Lint::new(),
    };
    match &args.origin {
        Some(origin) => lint.with_origin(origin),
        None => lint,
    }
}

/// Checks the lines of a file, or those that a pipe brings in the time of the check.
fn check_body(open: impl FnOnce() -> Opened + Send + 'static, args: &Check) -> anyhow::Result<Judgement> {
    let start = Instant::now();
    let limit = matches!(args.input, Input::Stdin).then_some(args.time);
    let mut seen = Seen::new(lint(args), Limits { time: limit, events: args.events, wanted: Wanted::Everything });
    let chunks = read_in_a_thread(open);
    while !seen.is_enough() {
        let left = limit.map_or(A_DAY, |limit| limit.saturating_sub(start.elapsed()));
        // A chunk that is there is received in no time, too.
        if left.is_zero() {
            break;
        }
        match chunks.recv_timeout(left) {
            // A body alone does not show when it arrived at the client.
            Ok(Ok(chunk)) => seen.chunk(&chunk, Duration::ZERO),
            Ok(Err(error)) => return Err(error),
            Err(RecvTimeoutError::Disconnected) => {
                seen.end(Ended::Complete);
                break;
            }
            Err(RecvTimeoutError::Timeout) => break,
        }
    }
    let mut judgement = Judgement::new(seen.finish(Duration::ZERO));
    judgement.seen.elapsed = start.elapsed();
    judgement.not_judged("headers, times, resume", "a body alone does not show them; check the URL");
    Ok(judgement)
}

/// Longer than any read of a file takes.
const A_DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// A file or a pipe that can be read.
type Opened = anyhow::Result<Box<dyn Read + Send>>;

/// Reads in a thread, because a pipe may be silent for longer than the check takes.
fn read_in_a_thread(open: impl FnOnce() -> Opened + Send + 'static) -> mpsc::Receiver<anyhow::Result<Vec<u8>>> {
    let (send, receive) = mpsc::sync_channel(1);
    thread::spawn(move || {
        let mut reader = match open() {
            Ok(reader) => reader,
            Err(error) => return send.send(Err(error)),
        };
        loop {
            let mut buffer = vec![0; 64 * 1024];
            match reader.read(&mut buffer) {
                Ok(0) => return Ok(()),
                Ok(length) => {
                    buffer.truncate(length);
                    send.send(Ok(buffer))?;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    let error = anyhow!("cannot read the input: {error}; check it, and run the command again");
                    return send.send(Err(error));
                }
            }
        }
    });
    receive
}

/// Checks a server: its response, and what only several requests show.
async fn check_url(url: &Url, request: &Request, args: &Check) -> anyhow::Result<Judgement> {
    let target = Target::new(url, request, args.origin.as_deref())?;
    let limits = Limits { time: Some(args.time), events: args.events, wanted: Wanted::Everything };
    tell(&format!("watching for {} s", args.time.as_secs_f64()));
    let seen = target.watch(target.ask(), lint(args), limits).await?;
    let mut judgement = Judgement::new(seen);
    if judgement.seen.head.is_none() {
        let is_redirect = |finding: &Finding| finding.code == "redirect" && finding.severity == Severity::Fail;
        if !judgement.seen.findings.iter().any(is_redirect) {
            judgement.add(target.no_head(&judgement.seen, args.time).await);
        }
        return Ok(judgement);
    }
    if judgement.seen.is_json_lines() {
        judgement.not_judged("headers, times, resume", "the rules are those of an event stream");
        return Ok(judgement);
    }
    if !judgement.seen.is_event_stream() {
        refusal::explain(&mut judgement.seen).await;
        return Ok(judgement);
    }
    if judgement.seen.is_readable() {
        judge_times(&mut judgement, args);
        // At once, because a server may keep only the last events.
        tell("asking again, as a browser that reconnects");
        resume::judge(&target, &mut judgement).await;
    } else {
        let why = "it decompresses only gzip and brotli: curl -sN --compressed URL | eventwire check -";
        judgement.not_judged("events, times, resume", why);
    }
    tell("asking for compression");
    compression::judge(&target, &mut judgement).await;
    cors::judge(&target, &mut judgement).await;
    judge_version(&mut judgement);
    Ok(judgement)
}

/// For how long a stream has to be watched until the lint can warn of silence.
const SILENT: f64 = 17.0;

/// Says which rules about times had too little to judge.
fn judge_times(judgement: &mut Judgement, args: &Check) {
    let Seen { events: count, elapsed, .. } = judgement.seen;
    let is_open = judgement.seen.ended == Ended::No;
    let seconds = elapsed.as_secs_f64();
    // The option that has ended the check.
    let (longer, long_enough) = match args.events {
        Some(limit) if count >= limit.get() => ("use a larger --events", "use a larger --events"),
        _ => ("use a longer --time", "use --time 20"),
    };
    if count < 2 {
        let why = match is_open {
            true => format!("{} in {seconds:.1} s: {longer}", events(count)),
            false => format!("the stream has {}", events(count)),
        };
        judgement.not_judged("held-back", why);
    }
    if is_open && seconds < SILENT {
        judgement.not_judged("silence", format!("{seconds:.1} s are too short to see it: {long_enough}"));
    }
    if is_open && args.dialect.is_some() {
        judgement.not_judged("no-end-marker", format!("the stream did not end: {longer}"));
    }
}

/// Over HTTP/1.1, a browser has few connections.
fn judge_version(judgement: &mut Judgement) {
    let is_http_1 = judgement.seen.head.as_ref().is_some_and(|head| head.version() < http::Version::HTTP_2);
    if !is_http_1 {
        return;
    }
    if judgement.seen.url.as_ref().is_some_and(|url| url.scheme() == "https") {
        judgement.add(Finding::new("http-1.1", "the server does not offer HTTP/2"));
    } else {
        let why = "browsers use it only over https://, and over HTTP/1.1 at most six connections to a host";
        judgement.not_judged("http/2", why);
    }
}

fn events(count: u64) -> String {
    match count {
        0 => "no events".to_owned(),
        1 => "1 event".to_owned(),
        count => format!("{count} events"),
    }
}
