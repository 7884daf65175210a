//! The program `hyper-client`, which prints the events of a URL. The connector is in the library.

/// Shared with the program `eventwire`.
#[path = "../../../crates/eventwire-cli/src/printable.rs"]
mod printable;

use std::env;
use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

use anyhow::{Context, Error, Result, bail};
use eventwire::TokioTimer;
use eventwire_client::{EventSource, Item};
use futures_util::StreamExt;
use hyper::Uri;
use hyper::http::uri::Scheme;
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use tokio::runtime::Builder;

use printable::OneLine;

fn main() -> ExitCode {
    let Err(error) = run() else { return ExitCode::SUCCESS };
    match error.downcast_ref::<io::Error>() {
        // The reader closed the output, as `head -1` does after its line.
        Some(error) if error.kind() == ErrorKind::BrokenPipe => return ExitCode::SUCCESS,
        _ => log(&error),
    }
    ExitCode::FAILURE
}

/// Prints an error and its causes on one line. `eprintln!` would panic if standard error is closed.
fn log(error: &Error) {
    let _ = writeln!(io::stderr(), "hyper-client: {}", OneLine(&format!("{error:#}")));
}

fn run() -> Result<()> {
    let mut args = env::args().skip(1);
    let (Some(url), None) = (args.next(), args.next()) else {
        bail!("expected one argument, a URL, such as http://127.0.0.1:8080/events");
    };
    let parsed: Uri = url.parse().with_context(|| format!("{url:?} is not a URL"))?;
    if parsed.scheme() != Some(&Scheme::HTTP) {
        bail!("{url:?} does not start with http://, and this example has no TLS");
    }
    let runtime = Builder::new_current_thread().enable_all().build().context("cannot start tokio's runtime")?;
    runtime.block_on(print_events(parsed))
}

async fn print_events(url: Uri) -> Result<()> {
    let client = Client::builder(TokioExecutor::new()).build_http();
    let mut source = EventSource::with_connector(hyper_client::connector(client, url), TokioTimer);
    let mut out = io::stdout();
    while let Some(item) = source.next().await {
        match item {
            Item::Event(event) => {
                let (event_type, id, data) =
                    (OneLine(event.event_type()), OneLine(event.last_event_id()), OneLine(event.data()));
                writeln!(out, "{event_type} [{id}] {data}").and_then(|()| out.flush())?;
            }
            Item::Reconnecting { error, delay, .. } => {
                log(&Error::new(error).context(format!("reconnecting in {delay:.1?}")));
            }
            Item::Undecodable(error) => log(&error.into()),
            _ => {}
        }
    }
    source.into_result().context("the server's events have ended; check the URL and the server")
}
