//! Why there is no answer, or only part of it.

use crate::printable::OneLine;
use eventwire::{Error, JsonError};
use eventwire_client::Stopped;
use reqwest::StatusCode;
use serde::Deserialize;
use std::fmt;

/// Why there is no answer, or only part of it. It is printed as one line.
#[derive(Debug)]
#[non_exhaustive]
pub enum DriverError {
    /// The server refused a request.
    #[non_exhaustive]
    Refused {
        /// The status.
        status: StatusCode,
        /// The server's error message, if it is in a place where servers usually put it.
        message: Option<String>,
    },
    /// The model failed. This is the server's message.
    Failed(String),
    /// The connection could not be made, or it ended and the answer could not be continued. This is the reason.
    CutOff(String),
    /// The response is not an answer of the Responses API. This is the reason.
    Unreadable(String),
}

impl fmt::Display for DriverError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = match self {
            DriverError::Refused { status, message: Some(message) } => {
                format!("the server answered {status}: {message}")
            }
            DriverError::Refused { status, message: None } => format!("the server answered {status}"),
            DriverError::Failed(message) => format!("the model failed: {message}"),
            DriverError::CutOff(why) => format!("there is no complete answer: {why}"),
            DriverError::Unreadable(why) => format!("cannot read the answer: {why}"),
        };
        // A server must not be able to control the terminal.
        OneLine(&line).fmt(f)
    }
}

impl std::error::Error for DriverError {}

impl From<JsonError<Stopped<reqwest::Error>>> for DriverError {
    fn from(error: JsonError<Stopped<reqwest::Error>>) -> DriverError {
        match error {
            JsonError::Stream(Error::Transport(stopped)) => match stopped.refusal() {
                Some(refusal) if refusal.status() != StatusCode::OK => {
                    DriverError::Refused { status: refusal.status(), message: message(refusal.body()) }
                }
                Some(refusal) => DriverError::Unreadable(refusal.to_string()),
                None => DriverError::CutOff(stopped.to_string()),
            },
            JsonError::Reported(event) => DriverError::Failed(
                message(event.data().as_bytes()).unwrap_or_else(|| "the server gave no reason".to_owned()),
            ),
            JsonError::Truncated => {
                DriverError::CutOff("the server ended the stream before the answer was complete".to_owned())
            }
            error => DriverError::Unreadable(error.to_string()),
        }
    }
}

/// Returns the error message in JSON. Servers put it in different places.
fn message(json: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Body {
        Envelope { error: Detail },
        Detail(Detail),
    }
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Detail {
        Object { message: String },
        Message(String),
    }
    let (Body::Envelope { error: detail } | Body::Detail(detail)) = serde_json::from_slice(json).ok()?;
    let (Detail::Object { message } | Detail::Message(message)) = detail;
    Some(message)
}
