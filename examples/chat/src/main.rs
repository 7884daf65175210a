//! Asks a model something, and prints the answer as it comes: from any server that speaks as OpenAI's does.
//!
//! `cargo run --example chat --features http-body,json,tokio` alone asks the gateway of the other example, which it starts
//! in its own process; with `-- --help` behind it, it says what else it takes.

#[path = "chat/args.rs"]
mod args;
#[path = "chat/ask.rs"]
mod ask;
#[path = "types/openai.rs"]
#[expect(dead_code, reason = "only the text is printed, and not how many tokens it had, or why it ended")]
mod openai;
#[path = "chat/printer.rs"]
mod printer;
#[path = "chat/refusal.rs"]
mod refusal;
#[path = "gateway/server.rs"]
mod server;

use std::error::Error as StdError;
use std::io::{self, Write};
use std::net::Ipv4Addr;
use std::process::ExitCode;
use std::time::Duration;

use eventwire::{Error, EventStream, JsonError};
use futures_util::TryStreamExt;
use reqwest::Response;
use tokio::net::TcpListener;

use args::{Command, Place, Question};
use ask::AskError;
use openai::Chunk;
use printer::Printer;
use server::Settings;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        // `chat | head -1` has what it wanted.
        Err(Stop::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(stop) => {
            // `eprintln!` would panic where nobody reads standard error any more.
            let _ = writeln!(io::stderr(), "chat: {stop}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Stop> {
    match args::parse(lexopt::Parser::from_env())? {
        Command::Help => io::stdout().write_all(args::USAGE.as_bytes()).map_err(Stop::Output),
        Command::Ask { place, question } => {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(Stop::Runtime)?;
            runtime.block_on(chat(place, &question))
        }
    }
}

async fn chat(place: Place, question: &Question) -> Result<(), Stop> {
    let response = match place {
        Place::Server(base_url) => ask::ask(&ask::client()?, &base_url, question).await?,
        Place::Gateway => {
            let base_url = start_gateway().await.map_err(Stop::Gateway)?;
            ask::ask(&ask::loopback_client()?, &base_url, question).await?
        }
    };
    let mut printer = Printer::new();
    let answer = print(response, &mut printer).await;
    // Whether or not it is whole: what is said next begins on a line of its own.
    printer.end().map_err(Stop::Output)?;
    answer
}

/// Serves the gateway for as long as the program runs, and returns its base URL.
async fn start_gateway() -> io::Result<String> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let base_url = format!("http://{}/v1", listener.local_addr()?);
    // So slow that one sees the tokens come.
    let settings = Settings { delay: Duration::from_millis(50), ..Settings::default() };
    tokio::spawn(server::serve(listener, settings));
    Ok(base_url)
}

async fn print(response: Response, printer: &mut Printer) -> Result<(), Stop> {
    let mut chunks = EventStream::new(response.bytes_stream()).json::<Chunk>().require_end_marker();
    while let Some(chunk) = chunks.try_next().await? {
        for choice in &chunk.choices {
            printer.print(choice.token()).map_err(Stop::Output)?;
        }
    }
    Ok(())
}

/// Why there is no answer, or no more of it. Each says what went wrong and what to do, in one line.
#[derive(Debug, thiserror::Error)]
enum Stop {
    #[error("{0}; see --help")]
    Usage(#[from] lexopt::Error),
    #[error(transparent)]
    Ask(#[from] AskError),
    #[error("the answer was cut off: {0}; ask again")]
    CutOff(String),
    #[error("the server broke the answer off: {0}; ask again later")]
    Reported(String),
    #[error("cannot read the answer: {0}; check that the base URL is of a server that speaks as OpenAI's does")]
    Unreadable(String),
    #[error("cannot write the answer: {0}; make room for the output, or send it elsewhere")]
    Output(io::Error),
    #[error("cannot start the gateway: {0}; name a server with --base-url")]
    Gateway(io::Error),
    #[error("cannot start the asynchronous runtime: {0}; close other programs and run it again")]
    Runtime(io::Error),
}

impl From<JsonError<reqwest::Error>> for Stop {
    fn from(error: JsonError<reqwest::Error>) -> Stop {
        match error {
            JsonError::Truncated => Stop::CutOff("the stream ended without [DONE]".into()),
            JsonError::Stream(Error::Transport(error)) => Stop::CutOff(root(&error).to_string()),
            JsonError::Reported(event) => Stop::Reported(refusal::reason(event.data().as_bytes())),
            JsonError::Payload { source, .. } => Stop::Unreadable(format!("an event is not a chunk of it: {source}")),
            error => Stop::Unreadable(error.to_string()),
        }
    }
}

/// HTTP clients wrap the reason in layer after layer; the innermost says what happened.
fn root<'e>(mut error: &'e (dyn StdError + 'static)) -> &'e (dyn StdError + 'static) {
    while let Some(source) = error.source() {
        error = source;
    }
    error
}
