//! An example: a server of topics, whose log is a SQLite file, Postgres, Redis, or memory.

mod args;
mod server;

use std::fmt::Display;
use std::io::{self, Write};
use std::process::ExitCode;

use anyhow::{Context, bail};
use eventwire_hub::{History, Log, Memory};
use eventwire_postgres::PostgresLog;
use eventwire_redis::RedisLog;
use eventwire_sqlite::SqliteLog;
use gateway::KnownHosts;
use tokio::net::TcpListener;

use crate::args::{Args, USAGE};
use crate::server::Guard;

#[tokio::main]
async fn main() -> ExitCode {
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            report(format_args!("{error:#}"));
            ExitCode::FAILURE
        }
    }
}

async fn run() -> anyhow::Result<()> {
    let Some(args) = Args::read()? else {
        return io::stdout().write_all(USAGE.as_bytes()).context("cannot write the output");
    };
    let (log, max_events) = (args.log.clone(), args.max_events);
    // Each log is a type of its own, so what follows is compiled for each.
    match (log.split_once("://").map(|(scheme, _)| scheme), &*log) {
        (None, "memory") => serve(Memory::new(History::new().with_max_events(max_events)), args).await,
        (None, file) => serve(SqliteLog::open(file)?.with_max_events(max_events), args).await,
        (Some("postgres" | "postgresql"), url) => {
            serve(PostgresLog::open(url)?.with_max_events(max_events), args).await
        }
        (Some("redis"), url) => serve(RedisLog::open(url)?.with_max_events(max_events), args).await,
        // Not the URL, which may contain a password.
        (Some(scheme), _) => bail!("there is no log for {scheme}://; see --help"),
    }
}

async fn serve(log: impl Log, args: Args) -> anyhow::Result<()> {
    let address = args.address;
    let listener = TcpListener::bind(&address)
        .await
        .with_context(|| format!("cannot listen on {address:?}; choose another address with --listen"))?;
    let address = listener.local_addr()?;
    let guard = Guard { hosts: KnownHosts::new(address, args.hosts), token: args.token };
    let told_to_end = told_to_end().context("cannot handle signals")?;
    // A program that starts this one reads the port from this line, and can connect after that.
    writeln!(io::stdout(), "listening on http://{address}").context("cannot write the output")?;
    server::serve(listener, log, guard, told_to_end).await.context("the server failed")
}

/// Returns a future that resolves when the process is told to end, by Ctrl-C or by SIGTERM.
#[cfg(unix)]
fn told_to_end() -> io::Result<impl Future<Output = ()> + Send + 'static> {
    use tokio::signal::unix::{SignalKind, signal};

    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    Ok(async move {
        tokio::select! { _ = interrupt.recv() => {}, _ = terminate.recv() => {} }
    })
}

/// Returns a future that resolves when the process is told to end, by Ctrl-C.
#[cfg(not(unix))]
fn told_to_end() -> io::Result<impl Future<Output = ()> + Send + 'static> {
    Ok(async { drop(tokio::signal::ctrl_c().await) })
}

/// Prints one line. `eprintln!` would panic if standard error is closed.
fn report(what: impl Display) {
    let _ = writeln!(io::stderr(), "hub: {what}");
}
