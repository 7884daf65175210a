//! The error for a model's answer that is missing or incomplete.

use std::fmt;
use std::time::Duration;

use axum::http::StatusCode;
use eventwire::{Error, JsonError};
use eventwire_client::{ConnectionError, Stopped};
use serde::Deserialize;

use crate::printable::OneLine;
use crate::root_cause::root_cause;

/// It prints one line.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub(crate) struct ModelError {
    /// The status for a client that has not been sent anything yet.
    pub(crate) status: StatusCode,
    pub(crate) code: &'static str,
    pub(crate) message: String,
}

impl ModelError {
    fn bad_gateway(code: &'static str, message: impl fmt::Display) -> ModelError {
        ModelError { status: StatusCode::BAD_GATEWAY, code, message: format!("the model's server {message}") }
    }

    fn cut_off(why: impl fmt::Display) -> ModelError {
        ModelError::bad_gateway("model_failed", format_args!("cut the answer off: {why}"))
    }

    /// The model's server sent no data for this long.
    pub(crate) fn silent(duration: Duration) -> ModelError {
        let error = ModelError::cut_off(format_args!("no data received for {duration:?}"));
        ModelError { status: StatusCode::GATEWAY_TIMEOUT, ..error }
    }

    /// The request cannot be sent.
    pub(crate) fn invalid_request(why: impl fmt::Display) -> ModelError {
        ModelError::bad_gateway("model_unreachable", format_args!("cannot be sent a request: {why}"))
    }
}

impl From<&reqwest::Error> for ModelError {
    fn from(error: &reqwest::Error) -> ModelError {
        let why = root_cause(error);
        if error.is_connect() {
            return ModelError::bad_gateway("model_unreachable", format_args!("cannot be reached: {why}"));
        }
        ModelError::cut_off(why)
    }
}

impl From<JsonError<Stopped<reqwest::Error>>> for ModelError {
    fn from(error: JsonError<Stopped<reqwest::Error>>) -> ModelError {
        match error {
            JsonError::Stream(Error::Transport(stopped)) => stopped.into(),
            JsonError::Truncated => ModelError::cut_off("no [DONE] at its end"),
            JsonError::Reported(event) => {
                let reason = reason_or_none(event.data().as_bytes());
                ModelError::bad_gateway("model_failed", format_args!("reported an error: {reason}"))
            }
            error => ModelError::bad_gateway("model_failed", format_args!("sent an invalid answer: {error}")),
        }
    }
}

impl From<Stopped<reqwest::Error>> for ModelError {
    fn from(stopped: Stopped<reqwest::Error>) -> ModelError {
        let Some(error) = stopped.error() else { return ModelError::cut_off(stopped) };
        match error {
            ConnectionError::Transport(error) => error.into(),
            ConnectionError::Refused(refusal) if refusal.status() == 200 => {
                ModelError::bad_gateway("model_failed", format_args!("does not stream: {error}"))
            }
            ConnectionError::Refused(refusal) => {
                let reason = reason_or_none(refusal.body());
                let error =
                    ModelError::bad_gateway("model_refused", format_args!("answered {}: {reason}", refusal.status()));
                // These statuses are about the conversation or the load. Other statuses are about this server's own
                // request, for example its API key.
                let status = match refusal.status().as_u16() {
                    400 | 413 | 422 | 429 | 503 => refusal.status(),
                    _ => error.status,
                };
                ModelError { status, ..error }
            }
            error @ (ConnectionError::ResponseTimeout(_) | ConnectionError::IdleTimeout(_)) => {
                ModelError { status: StatusCode::GATEWAY_TIMEOUT, ..ModelError::cut_off(error) }
            }
            error => ModelError::cut_off(error),
        }
    }
}

/// An error object in OpenAI's format. Some servers send only the message.
#[derive(Deserialize)]
struct Envelope {
    error: Detail,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Detail {
    Envelope { message: String },
    Message(String),
}

/// Returns the error message in a server's response, on one line.
pub(crate) fn reason_or_none(body: &[u8]) -> String {
    let Ok(Envelope { error: Detail::Envelope { message } | Detail::Message(message) }) = serde_json::from_slice(body)
    else {
        return "the response has no error message that this program understands".into();
    };
    OneLine(&message).to_string()
}
