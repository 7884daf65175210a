//! A server that speaks as OpenAI's does, with one model, `echo`, which says what it is told again.
//!
//! `cargo run --example gateway --features http-body,json,tokio` serves on <http://127.0.0.1:8080>;
//! with `-- --help` behind it, it says what else it takes.

#[path = "gateway/args.rs"]
mod args;
#[path = "gateway/server.rs"]
mod server;

use std::io::{self, Write};
use std::process::ExitCode;

use tokio::net::TcpListener;

use args::Command;
use server::Settings;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(stop) => {
            // `eprintln!` would panic where nobody reads standard error any more.
            let _ = writeln!(io::stderr(), "gateway: {stop}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Stop> {
    match args::parse(lexopt::Parser::from_env())? {
        Command::Help => io::stdout().write_all(args::USAGE.as_bytes()).map_err(Stop::Output),
        Command::Serve { address, settings } => {
            let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(Stop::Runtime)?;
            runtime.block_on(serve(address, settings))
        }
    }
}

async fn serve(address: String, settings: Settings) -> Result<(), Stop> {
    let listener = match TcpListener::bind(&address).await {
        Ok(listener) => listener,
        Err(error) => return Err(Stop::Listen { address, error }),
    };
    announce(&listener).map_err(Stop::Output)?;
    server::serve(listener, settings).await.map_err(Stop::Serve)
}

/// Who starts this program waits for the line, to learn the port and that it may be connected to.
fn announce(listener: &TcpListener) -> io::Result<()> {
    let address = listener.local_addr()?;
    let mut out = io::stdout().lock();
    writeln!(out, "listening on http://{address}")?;
    out.flush()
}

/// Why there is no server, or none any more. Each says what went wrong and what to do, in one line.
#[derive(Debug, thiserror::Error)]
enum Stop {
    #[error("{0}; see --help")]
    Usage(#[from] lexopt::Error),
    #[error("cannot listen on {address:?}: {error}; give another address with --listen, as in 127.0.0.1:0")]
    Listen { address: String, error: io::Error },
    #[error("cannot serve any further: {0}; start it again")]
    Serve(io::Error),
    #[error("cannot write to standard output: {0}; make room for it, or send it elsewhere")]
    Output(io::Error),
    #[error("cannot start the asynchronous runtime: {0}; close other programs and run it again")]
    Runtime(io::Error),
}
