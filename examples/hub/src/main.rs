//! An example: topics that are sent to many readers, and answers of a language model that go on without their readers.
//! One process is enough; several of them serve the same topics and answers if they share a Redis.
//!
//! | endpoint | response |
//! |---|---|
//! | `GET /` | a page with two windows on one topic |
//! | `POST /topics/{name}` | stores any JSON as an event; with `Idempotency-Key`, only once |
//! | `GET /topics/{name}` | the events of a topic |
//! | `GET /topics?names=a,b` | the events of several topics, in one stream |
//! | `GET /topics/{name}/position` | the position of the newest event, from which a page can start |
//! | `POST /answers` | asks the model; the response has the ID of its answer |
//! | `GET /answers/{id}` | the events of an answer, from its beginning |
//! | `DELETE /answers/{id}` | stops the model, in whichever process it runs |

mod answers;
mod args;
mod model;
mod page;
mod refusal;
mod server;
mod topics;

use std::fmt::Display;
use std::future::Future;
use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, anyhow};
use eventwire_hub::{History, Log, Memory};
use eventwire_redis::RedisLog;
use tokio::net::TcpListener;

use crate::args::{Args, USAGE};

/// For how long an answer can be read after its last word.
const ANSWERS_EXPIRE: Duration = Duration::from_secs(24 * 60 * 60);

#[tokio::main]
async fn main() -> ExitCode {
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            log(format_args!("{error:#}"));
            ExitCode::FAILURE
        }
    }
}

/// Chooses the log, once. All that follows is generic over it.
async fn run() -> anyhow::Result<()> {
    let Some(args) = Args::read().map_err(|error| anyhow!("{error}; see --help"))? else {
        return io::stdout().write_all(USAGE.as_bytes()).context("cannot write the output");
    };
    match &args.redis {
        None => serve(&args, Memory::new(args.history()), Memory::new(History::new())).await,
        // It connects when it is first used, so this program can start before Redis does.
        Some(url) => {
            let log = RedisLog::open(url).context("--redis needs a URL such as redis://127.0.0.1:6379; see --help")?;
            let answers = log.clone().with_prefix("hub-answers").with_expiry(ANSWERS_EXPIRE);
            serve(&args, log.with_prefix("hub-topics").with_max_events(args.keep.get()), answers).await
        }
    }
}

async fn serve<L: Log>(args: &Args, topics: L, answers: L) -> anyhow::Result<()> {
    let address = &args.address;
    let listener = TcpListener::bind(address)
        .await
        .with_context(|| format!("cannot listen on {address:?}; choose another address with --listen"))?;
    let interrupted = interrupted().context("cannot handle signals")?;
    // A program that starts this one reads the port from this line, and can connect and interrupt it from then on.
    writeln!(io::stdout(), "listening on http://{}/", listener.local_addr()?).context("cannot write the output")?;
    server::serve(listener, args, topics, answers, interrupted).await.context("the server failed")
}

/// Resolves at Ctrl-C, and when the process is asked to terminate.
#[cfg(unix)]
fn interrupted() -> io::Result<impl Future<Output = ()> + Send + 'static> {
    use tokio::signal::unix::{SignalKind, signal};
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    Ok(async move {
        tokio::select! { _ = interrupt.recv() => {}, _ = terminate.recv() => {} }
    })
}

/// Resolves at Ctrl-C.
#[cfg(not(unix))]
fn interrupted() -> io::Result<impl Future<Output = ()> + Send + 'static> {
    Ok(async { drop(tokio::signal::ctrl_c().await) })
}

/// Writes a line to standard error.
pub(crate) fn log(line: impl Display) {
    // A single write, so that lines are not mixed. `eprintln!` would panic if standard error is closed.
    let line = line.to_string().replace(char::is_control, " ");
    let _ = io::stderr().write_all(format!("hub: {line}\n").as_bytes());
}
