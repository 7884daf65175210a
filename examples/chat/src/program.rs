//! The program `chat`: what it does with its arguments, and why it fails.

mod args;

use std::ffi::OsString;
use std::io::{self, Write};
use std::net::Ipv4Addr;
use std::time::Duration;

use eventwire::{Error, EventStream, JsonError};
use futures_util::TryStreamExt;
use gateway::Settings;
use reqwest::Response;
use tokio::net::TcpListener;
use tokio::runtime::Builder;

use self::args::{Command, Server};
use crate::ask::{self, AskError, Question};
use crate::chunk::Chunk;
use crate::printer::Printer;
use crate::refusal;
use crate::root_cause::root_cause;

/// Runs the program with these arguments, without the program's name, and writes the answer to `out`.
///
/// # Errors
///
/// [`Failure`] if the arguments are not valid, or if there is no answer or not all of it.
pub fn run<I>(args: I, out: &mut impl Write) -> Result<(), Failure>
where
    I: IntoIterator<Item: Into<OsString>>,
{
    let result = match args::parse(lexopt::Parser::from_args(args))? {
        Command::Help => out.write_all(args::USAGE.as_bytes()).map_err(Failure::Output),
        Command::Ask { server, question } => {
            let runtime = Builder::new_current_thread().enable_all().build().map_err(Failure::Runtime)?;
            runtime.block_on(chat(server, &question, out))
        }
    };
    match result {
        // The reader of the output, such as `head -1`, has what it needs.
        Err(Failure::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}

async fn chat(server: Server, question: &Question, out: &mut impl Write) -> Result<(), Failure> {
    let response = match server {
        Server::At(base_url) => ask::ask(&ask::client()?, &base_url, question).await?,
        Server::Gateway => {
            let base_url = start_gateway().await.map_err(Failure::Gateway)?;
            ask::ask(&ask::loopback_client()?, &base_url, question).await?
        }
    };
    let mut printer = Printer::new(out);
    let answer = print(response, &mut printer).await;
    // Even if the answer is incomplete, so that an error message starts on a new line.
    printer.end().map_err(Failure::Output)?;
    answer
}

/// Serves the gateway until the runtime ends, and returns its base URL.
async fn start_gateway() -> io::Result<String> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let base_url = format!("http://{}/v1", listener.local_addr()?);
    // Slow enough to see the tokens arrive.
    let settings = Settings { delay: Duration::from_millis(50), ..Settings::default() };
    tokio::spawn(gateway::serve(listener, settings));
    Ok(base_url)
}

async fn print(response: Response, printer: &mut Printer<impl Write>) -> Result<(), Failure> {
    let mut chunks = EventStream::new(response.bytes_stream()).json::<Chunk>().require_end_marker();
    while let Some(chunk) = chunks.try_next().await? {
        for text in chunk.text() {
            printer.print(text).map_err(Failure::Output)?;
        }
    }
    Ok(())
}

/// Why the program failed. It prints, in one line, what went wrong and what to do about it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Failure {
    /// The arguments are not valid.
    #[error("{0}; see --help")]
    Usage(#[from] lexopt::Error),
    /// The question could not be sent, or the server refused it.
    #[error(transparent)]
    Ask(#[from] AskError),
    /// The answer is incomplete, because the connection ended.
    #[error("the answer was cut off: {0}; ask again")]
    CutOff(String),
    /// The answer is incomplete, because the server reported an error.
    #[error("the server reported an error: {0}; ask again later")]
    Reported(String),
    /// The answer is not a stream of chat completion chunks.
    #[error("cannot read the answer: {0}; check that the base URL is that of an OpenAI-compatible API")]
    Unreadable(String),
    /// The output cannot be written.
    #[error("cannot write the answer: {0}; check where standard output goes")]
    Output(io::Error),
    /// The gateway cannot be started.
    #[error("cannot start the gateway: {0}; name a server with --base-url")]
    Gateway(io::Error),
    /// tokio's runtime cannot be started.
    #[error("cannot start tokio's runtime: {0}; check the limits on threads and open files")]
    Runtime(io::Error),
}

impl From<JsonError<reqwest::Error>> for Failure {
    fn from(error: JsonError<reqwest::Error>) -> Failure {
        match error {
            JsonError::Truncated => Failure::CutOff("the stream ended without [DONE]".into()),
            JsonError::Stream(Error::Transport(error)) => Failure::CutOff(root_cause(&error).to_string()),
            JsonError::Reported(event) => Failure::Reported(refusal::reason(event.data().as_bytes())),
            JsonError::Payload { path, error, .. } => {
                let place = if path.is_empty() { String::new() } else { format!(" at {path}") };
                Failure::Unreadable(format!("an event is not a chunk of a chat completion{place}: {error}"))
            }
            error => Failure::Unreadable(error.to_string()),
        }
    }
}
