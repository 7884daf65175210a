//! Why there is no answer, or only part of it.

use eventwire_reqwest::{Error, JsonError, Stopped};
use serde_json::Value;

/// Why there is no answer, or only part of it. It contains text of the server: escape it before you print it on a
/// terminal.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DriverError {
    /// The server refused a request. This is the status, with the server's message if it has one.
    #[error("{0}")]
    Refused(String),
    /// The model failed. This is the server's message.
    #[error("the model failed: {0}")]
    Failed(String),
    /// The connection could not be made, or it ended and the answer could not be continued. This is the reason.
    #[error("there is no complete answer: {0}")]
    Truncated(String),
    /// The response is not an answer of the Responses API. This is the reason.
    #[error("cannot read the answer: {0}")]
    Unreadable(String),
}

impl From<JsonError<Stopped<reqwest::Error>>> for DriverError {
    fn from(error: JsonError<Stopped<reqwest::Error>>) -> DriverError {
        match error {
            JsonError::Stream(Error::Transport(stopped)) => match stopped.refusal() {
                Some(refusal) => DriverError::Refused(refusal.to_string()),
                None => DriverError::Truncated(stopped.to_string()),
            },
            JsonError::Reported(event) => DriverError::Failed(
                message(event.data().as_bytes()).unwrap_or_else(|| "the server gave no reason".to_owned()),
            ),
            JsonError::Truncated => {
                DriverError::Truncated("the server ended the stream before the answer was complete".to_owned())
            }
            error => DriverError::Unreadable(error.to_string()),
        }
    }
}

/// Returns the error message in JSON. Servers put it in different places.
fn message(json: &[u8]) -> Option<String> {
    let json: Value = serde_json::from_slice(json).ok()?;
    let error = json.get("error").unwrap_or(&json);
    error.get("message").unwrap_or(error).as_str().map(str::to_owned)
}
