//! Runs the program `gateway`.

mod args;

use std::ffi::OsString;
use std::io::{self, Write};
use std::pin::pin;

use futures_util::future::{self, Either};
use tokio::net::TcpListener;
use tokio::runtime::Builder;
use tokio::signal;
#[cfg(unix)]
use tokio::signal::unix;

use self::args::Command;
use crate::server::{self, Settings};

/// Runs the program with these arguments, without the program's name, and writes its output to `out`.
///
/// With `--help` it prints the help and returns. Otherwise it serves until the process is interrupted.
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
        Command::Serve { address, settings } => {
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
    let serving = server::serve_until(listener, settings, interrupt());
    // The server waits for all connections to close, and a client that has stopped reading may keep one open.
    let interrupted_again = async {
        interrupt().await;
        interrupt().await;
    };
    match future::select(pin!(serving), pin!(interrupted_again)).await {
        Either::Left((result, _)) => result.map_err(Failure::Serve),
        Either::Right(_) => Err(Failure::Interrupted),
    }
}

/// Resolves when the process is interrupted by Ctrl-C, or on Unix by `kill`.
async fn interrupt() {
    #[cfg(unix)]
    if let Ok(mut terminate) = unix::signal(unix::SignalKind::terminate()) {
        future::select(pin!(ctrl_c()), pin!(terminate.recv())).await;
        return;
    }
    ctrl_c().await;
}

/// Never resolves if the process cannot handle Ctrl-C. In that case, Ctrl-C kills it.
async fn ctrl_c() {
    if signal::ctrl_c().await.is_err() {
        future::pending::<()>().await;
    }
}

/// Prints the address. A program that starts this one reads the port from this line, and can connect after that.
fn announce(listener: &TcpListener, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "listening on http://{}", listener.local_addr()?)?;
    out.flush()
}

/// Why the program stopped. It is printed as one line: what went wrong, and what to do about it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Failure {
    /// The arguments are not valid.
    #[error("{0}; see --help")]
    Usage(#[from] lexopt::Error),
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
    /// It was interrupted again while it waited for connections to close.
    #[error("interrupted before all connections were closed")]
    Interrupted,
    /// The output cannot be written.
    #[error("cannot write the output: {0}; check where standard output goes")]
    Output(io::Error),
    /// tokio's runtime cannot be started.
    #[error("cannot start tokio's runtime: {0}; check the limits on threads and open files")]
    Runtime(io::Error),
}
