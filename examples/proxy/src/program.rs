//! Runs the program `proxy`.

mod args;

use std::ffi::OsString;
use std::io::{self, Write};

use tokio::net::TcpListener;
use tokio::runtime::Builder;

use self::args::Command;
use crate::report::Report;
use crate::server::{self, Settings};
use crate::upstream::{InvalidUpstream, Upstream};

/// Runs the program with these arguments, without the program's name, and writes its output to `out`. Reports of
/// streams go to standard error.
///
/// With `--help` it prints the help and returns. Otherwise it serves until the process ends.
///
/// # Errors
///
/// [`Failure`] if the arguments are not valid, or if it cannot serve.
pub fn run<I>(args: I, out: &mut impl Write) -> Result<(), Failure>
where
    I: IntoIterator<Item: Into<OsString>>,
{
    match args::parse(lexopt::Parser::from_args(args))? {
        Command::Help => out.write_all(args::USAGE.as_bytes()).map_err(Failure::Output),
        Command::Serve { address, upstream, model } => {
            let settings = Settings { upstream: Upstream::new(&upstream)?, model };
            let runtime = Builder::new_multi_thread().enable_all().build().map_err(Failure::Runtime)?;
            runtime.block_on(serve(address, settings, out))
        }
    }
}

async fn serve(address: String, settings: Settings, out: &mut impl Write) -> Result<(), Failure> {
    let listener = match TcpListener::bind(&address).await {
        Ok(listener) => listener,
        Err(error) => return Err(Failure::Listen { address, error }),
    };
    announce(&listener, out).map_err(Failure::Output)?;
    server::serve(listener, settings, log).await.map_err(Failure::Serve)
}

/// Prints the address. A program that starts this one reads the port from this line, and can connect after that.
fn announce(listener: &TcpListener, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "listening on http://{}", listener.local_addr()?)?;
    out.flush()
}

fn log(report: &Report) {
    // Each line is written at once, so that lines do not mix. `eprintln!` would panic if standard error is closed.
    let _ = io::stderr().write_all(format!("proxy: {report}\n").as_bytes());
}

/// Why the program stopped. It is printed as one line: what went wrong, and what to do about it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Failure {
    /// The arguments are not valid.
    #[error("{0}; see --help")]
    Usage(#[from] lexopt::Error),
    /// The URL of the server is not valid, or there is no HTTP client for it.
    #[error(transparent)]
    Upstream(#[from] InvalidUpstream),
    /// It cannot listen on this address.
    #[error("cannot listen on {address:?}: {error}; choose another address with --listen, such as 127.0.0.1:0")]
    #[non_exhaustive]
    Listen {
        /// The address that was given.
        address: String,
        /// Why it cannot listen.
        error: io::Error,
    },
    /// The server failed while it was running.
    #[error("the server failed: {0}; start it again")]
    Serve(io::Error),
    /// The output cannot be written.
    #[error("cannot write the output: {0}; check where standard output goes")]
    Output(io::Error),
    /// tokio's runtime cannot be started.
    #[error("cannot start tokio's runtime: {0}; check the limits on threads and open files")]
    Runtime(io::Error),
}
