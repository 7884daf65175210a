//! Why there is no answer, or only part of it.

use std::io;

use eventwire::{Error, JsonError};
use eventwire_client::{ConnectionError, Stopped};

use crate::reason::reason;
use crate::root_cause::root_cause;

/// Why the program failed. It is printed as one line: what went wrong, and what to do about it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Failure {
    /// The arguments are not valid.
    #[error("{0}; see --help")]
    Usage(#[from] lexopt::Error),
    /// The HTTP client cannot be set up.
    #[error("cannot set up an HTTP client: {0}; check the certificates of this machine")]
    Client(String),
    /// The base URL is not valid.
    #[error("{url:?} is not a base URL: {why}; write it as http://host:port/v1")]
    #[non_exhaustive]
    BaseUrl {
        /// The base URL that was given.
        url: String,
        /// Why it is not valid.
        why: String,
    },
    /// The request is not valid.
    #[error("the request is not valid: {0}; check the API key")]
    Request(String),
    /// There is no connection to the server.
    #[error("{0}; check the base URL and the server")]
    Unreachable(String),
    /// The server answered with an error.
    #[error("{0}")]
    Refused(String),
    /// The response is not an answer.
    #[error("{0}; check that the base URL is that of an OpenAI-compatible API")]
    NoAnswer(String),
    /// The server took too long to answer.
    #[error("{0}; ask again, or set a longer --timeout")]
    NoResponse(String),
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

impl From<JsonError<Stopped<reqwest::Error>>> for Failure {
    fn from(error: JsonError<Stopped<reqwest::Error>>) -> Failure {
        match error {
            JsonError::Stream(Error::Transport(stopped)) => stopped.into(),
            JsonError::Truncated => Failure::CutOff("the stream ended without [DONE]".into()),
            JsonError::Reported(event) => Failure::Reported(reason_or_none(event.data().as_bytes())),
            JsonError::Payload { path, error, .. } => {
                let place = if path.is_empty() { String::new() } else { format!(" at {path}") };
                Failure::Unreadable(format!("an event is not a chunk of a chat completion{place}: {error}"))
            }
            error => Failure::Unreadable(error.to_string()),
        }
    }
}

impl From<Stopped<reqwest::Error>> for Failure {
    fn from(stopped: Stopped<reqwest::Error>) -> Failure {
        let Some(error) = stopped.error() else { return Failure::CutOff(stopped.to_string()) };
        let why = cause(error);
        match error {
            ConnectionError::Transport(error) if error.is_connect() => Failure::Unreachable(why),
            ConnectionError::Transport(error) if error.is_request() => Failure::NoAnswer(why),
            ConnectionError::Refused(refusal) if refusal.status() == 200 => Failure::NoAnswer(why),
            ConnectionError::Refused(_) => Failure::Refused(why),
            ConnectionError::ResponseTimeout(_) => Failure::NoResponse(why),
            _ => Failure::CutOff(why),
        }
    }
}

/// Returns why a connection could not be made, or why it ended, on one line.
pub(crate) fn cause(error: &ConnectionError<reqwest::Error>) -> String {
    match error {
        ConnectionError::Transport(error) => {
            let why = root_cause(error);
            match error.url() {
                Some(url) if error.is_connect() => format!("cannot connect to {url}: {why}"),
                Some(url) if error.is_request() => format!("the request to {url} failed: {why}"),
                _ => why.to_string(),
            }
        }
        ConnectionError::Refused(refusal) if refusal.status() != 200 => {
            format!("{refusal}: {}", reason_or_none(refusal.body()))
        }
        error => error.to_string(),
    }
}

fn reason_or_none(body: &[u8]) -> String {
    reason(body).unwrap_or_else(|| "the response has no error message that this program understands".into())
}
