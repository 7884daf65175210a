//! Why there is no answer, or only part of it.

use eventwire_reqwest::{Error, JsonError, Stopped};

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
            JsonError::Stream(Error::Transport(stopped)) => match stopped.response() {
                Some(refusal) => DriverError::Refused(refusal.to_string()),
                None => DriverError::Truncated(stopped.to_string()),
            },
            JsonError::Reported { message, .. } if message.is_empty() => {
                DriverError::Failed("the server gave no reason".to_owned())
            }
            JsonError::Reported { message, .. } => DriverError::Failed(message.into()),
            JsonError::Truncated { .. } => DriverError::ended_early(),
            error => DriverError::Unreadable(error.to_string()),
        }
    }
}

impl DriverError {
    pub(crate) fn ended_early() -> DriverError {
        DriverError::Truncated("the server ended the stream before the answer was complete".to_owned())
    }
}
