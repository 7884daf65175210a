//! The program `hyper-client`.

use std::error::Error;
use std::ffi::OsString;
use std::io::{self, Write};

use eventwire::TokioTimer;
use eventwire_client::{EventSource, Item, Stopped};
use futures_util::StreamExt;
use hyper::Uri;
use hyper::http::uri::{InvalidUri, Scheme};
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use tokio::runtime::Builder;

use crate::printable::OneLine;
use crate::{HyperError, connector};

/// Runs the program with these arguments, without the program's name. It writes events to `out`, and lost
/// connections to `log`.
///
/// # Errors
///
/// [`Failure`] if the argument is not a URL, or if the source stops with a failure.
pub fn run(
    args: impl IntoIterator<Item = OsString>,
    out: &mut impl Write,
    log: &mut impl Write,
) -> Result<(), Failure> {
    let url = url(args)?;
    let runtime = Builder::new_current_thread().enable_all().build().map_err(Failure::Runtime)?;
    match runtime.block_on(print_events(url, out, log)) {
        // The reader closed the output, as `head -1` does after its line.
        Err(Failure::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}

fn url(args: impl IntoIterator<Item = OsString>) -> Result<Uri, Failure> {
    let mut args = args.into_iter();
    let (Some(url), None) = (args.next(), args.next()) else { return Err(Failure::Usage) };
    let text = url.to_string_lossy().into_owned();
    match text.parse::<Uri>() {
        Ok(url) if url.scheme() == Some(&Scheme::HTTP) => Ok(url),
        Ok(_) => Err(Failure::NotHttp { text }),
        Err(error) => Err(Failure::Url { text, error }),
    }
}

async fn print_events(url: Uri, out: &mut impl Write, log: &mut impl Write) -> Result<(), Failure> {
    let client = Client::builder(TokioExecutor::new()).build_http();
    let mut source = EventSource::with_connector(connector(client, url), TokioTimer);
    while let Some(item) = source.next().await {
        match item {
            Item::Event(event) => {
                let (event_type, id, data) = (OneLine(event.event_type()), OneLine(event.id()), OneLine(event.data()));
                writeln!(out, "{event_type} [{id}] {data}").and_then(|()| out.flush()).map_err(Failure::Output)?;
            }
            Item::Reconnecting { error, delay, .. } => {
                let _ = writeln!(log, "hyper-client: {}; reconnecting in {delay:.1?}", OneLine(&chain(&error)));
            }
            Item::Undecodable(error) => {
                let _ = writeln!(log, "hyper-client: {error}");
            }
            _ => {}
        }
    }
    source.into_result().map_err(|stopped| Failure::Stopped(Box::new(stopped)))
}

/// Returns the error and its sources on one line. None of these errors both prints a source and returns it.
fn chain(error: &dyn Error) -> String {
    let mut line = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        line += &format!(": {error}");
        source = error.source();
    }
    line
}

/// Why the program stopped. It is printed as one line: what went wrong, and what to do about it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Failure {
    /// There is no argument, or more than one.
    #[error("expected one argument, a URL, such as http://127.0.0.1:8080/events")]
    Usage,
    /// The argument is not a URL.
    #[error("{text:?} is not a URL: {error}; write it as http://host:port/path")]
    #[non_exhaustive]
    Url {
        /// The argument.
        text: String,
        /// Why it is not a URL.
        error: InvalidUri,
    },
    /// The URL does not start with `http://`.
    #[error("{text:?} is not an http:// URL, and this example has no TLS; write it as http://host:port/path")]
    #[non_exhaustive]
    NotHttp {
        /// The URL.
        text: String,
    },
    /// The source stopped with a failure.
    #[error("{}; check the URL and the server", OneLine(&chain(.0)))]
    Stopped(Box<Stopped<HyperError>>),
    /// The output cannot be written.
    #[error("cannot write the output: {0}; check where standard output goes")]
    Output(io::Error),
    /// tokio's runtime cannot be started.
    #[error("cannot start tokio's runtime: {0}; check the limits on threads and open files")]
    Runtime(io::Error),
}
