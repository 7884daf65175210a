//! Runs the program `driver`.

mod args;
mod demo;

use self::args::{Command, Server};
use crate::{
    Answer, Driver, DriverError,
    printable::{Lines, OneLine},
};
use reqwest::{
    Client, ClientBuilder,
    header::{AUTHORIZATION, HeaderMap, HeaderValue},
};
use std::{
    cell::Cell,
    ffi::OsString,
    future::poll_fn,
    io::{self, Write},
    pin::pin,
    task::Poll,
    time::Duration,
};
use tokio::runtime::Builder;

/// Runs the program with these arguments, without the program's name. It writes the answer to `out`, and each retry
/// and the token counts to `err`.
///
/// # Errors
///
/// [`Failure`] if the arguments are not valid, or if there is no answer or only part of it.
pub fn run<I>(args: I, out: &mut impl Write, err: &mut impl Write) -> Result<(), Failure>
where
    I: IntoIterator<Item: Into<OsString>>,
{
    let result = match args::parse(lexopt::Parser::from_args(args))? {
        Command::Help => out.write_all(args::USAGE.as_bytes()).map_err(Failure::Output),
        Command::Ask { server, model, api_key, prompt } => {
            let runtime = Builder::new_current_thread().enable_all().build().map_err(Failure::Runtime)?;
            runtime.block_on(async {
                let (base_url, client) = match server {
                    Server::At(base_url) => (base_url, client(|| builder(api_key.as_ref()))?),
                    // A proxy would connect to its own loopback interface.
                    Server::Demo => (demo::start().await.map_err(Failure::Demo)?, client(|| builder(None).no_proxy())?),
                };
                let answer = print(&Driver { client, base_url, model }, &prompt, out, err).await?;
                // If standard error is closed, the counts are not needed.
                let _ = report(&answer, err);
                Ok(())
            })
        }
    };
    match result {
        // The reader closed the output, as `head -1` does after its line.
        Err(Failure::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}

/// Prints the answer as it arrives. Stops at once if it cannot be printed.
async fn print(driver: &Driver, prompt: &str, out: &mut impl Write, err: &mut impl Write) -> Result<Answer, Failure> {
    let (unprinted, has_begun) = (Cell::new(None), Cell::new(false));
    let result = {
        let each = |text: &str| {
            has_begun.set(true);
            // Flushed, because the next piece may take a minute.
            if let Err(error) = write!(out, "{}", Lines(text)).and_then(|()| out.flush()) {
                unprinted.set(Some(error));
            }
        };
        let retrying = |why: &str| {
            // The text so far was printed without a line end.
            let start = if has_begun.get() { "\n" } else { "" };
            let _ = writeln!(err, "{start}driver: {}", OneLine(why));
        };
        let mut answer = pin!(driver.answer(prompt, each, retrying));
        poll_fn(|context| {
            let poll = answer.as_mut().poll(context);
            match unprinted.take() {
                Some(error) => Poll::Ready(Err(Failure::Output(error))),
                None => poll.map_err(Failure::Driver),
            }
        })
        .await
    };
    if !matches!(result, Err(Failure::Output(_))) {
        out.write_all(b"\n").and_then(|()| out.flush()).map_err(Failure::Output)?;
    }
    result
}

fn report(answer: &Answer, err: &mut impl Write) -> io::Result<()> {
    if let Some(reason) = &answer.stopped_early {
        writeln!(err, "the model stopped early: {}", OneLine(reason))?;
    }
    match answer.usage {
        Some(usage) => writeln!(err, "{} tokens read, {} tokens written", usage.input_tokens, usage.output_tokens),
        None => Ok(()),
    }
}

/// On a machine without root certificates, the client still works for http:// URLs.
fn client(builder: impl Fn() -> ClientBuilder) -> Result<Client, Failure> {
    builder()
        .build()
        .or_else(|_| builder().tls_certs_only([]).build())
        .map_err(|error| Failure::Client(error.to_string()))
}

fn builder(api_key: Option<&HeaderValue>) -> ClientBuilder {
    let headers: HeaderMap = api_key.map(|key| (AUTHORIZATION, key.clone())).into_iter().collect();
    // The driver sets its own timeouts for the rest of the request. It follows no redirects: the key is for one server.
    eventwire_reqwest::client_builder().default_headers(headers).connect_timeout(Duration::from_secs(10))
}

/// Why the program failed. It is printed as one line.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Failure {
    /// The arguments are not valid.
    #[error("{}; see --help", OneLine(&.0.to_string()))]
    Usage(#[from] lexopt::Error),
    /// There is no answer, or only part of it.
    #[error(transparent)]
    Driver(DriverError),
    /// The output cannot be written.
    #[error("cannot write the answer: {0}; check where standard output goes")]
    Output(io::Error),
    /// The HTTP client cannot be set up.
    #[error("cannot set up an HTTP client: {0}; check the certificates of this machine")]
    Client(String),
    /// The server in this process cannot be started.
    #[error("cannot start a server: {0}; name one with --base-url")]
    Demo(io::Error),
    /// tokio's runtime cannot be started.
    #[error("cannot start tokio's runtime: {0}; check the limits on threads and open files")]
    Runtime(io::Error),
}
