//! What the Responses API sends, as far as it matters for the text.

use crate::DriverError;
use eventwire::{JsonError, client::Stopped};
use serde::Deserialize;

/// One event's data.
#[derive(Debug, Deserialize)]
#[serde(tag = "type")]
pub(crate) enum ResponseEvent {
    /// A piece of the answer. A model that declines to answer says so in events of their own.
    #[serde(rename = "response.output_text.delta", alias = "response.refusal.delta")]
    Delta { delta: String },
    #[serde(rename = "response.completed", alias = "response.incomplete", alias = "response.failed")]
    Last { response: Response },
    #[serde(other)]
    Other,
}

/// The whole response. It is in the last event, and is what a server sends that does not stream.
#[derive(Debug, Deserialize)]
pub(crate) struct Response {
    status: String,
    #[serde(default)]
    output: Vec<Output>,
    usage: Option<Usage>,
    error: Option<ErrorObject>,
    incomplete_details: Option<IncompleteDetails>,
}

/// What is known at the end of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Answer {
    /// What the answer costs, if the server says so.
    pub usage: Option<Usage>,
    /// Why the model stopped before it was done, such as `max_output_tokens`.
    pub stopped_early: Option<String>,
}

/// What an answer costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct Usage {
    /// Tokens that the model has read.
    pub input_tokens: u64,
    /// Tokens that the model has written.
    pub output_tokens: u64,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type")]
enum Output {
    #[serde(rename = "message")]
    Message { content: Vec<Part> },
    #[serde(other)]
    Other,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type")]
enum Part {
    #[serde(rename = "output_text", alias = "refusal")]
    Text {
        #[serde(alias = "refusal")]
        text: String,
    },
    #[serde(other)]
    Other,
}

#[derive(Debug, Deserialize)]
struct ErrorObject {
    message: String,
}

#[derive(Debug, Deserialize)]
struct IncompleteDetails {
    reason: String,
}

impl Response {
    /// The response of a server that has answered with it instead of events.
    pub(crate) fn instead_of_events(error: JsonError<Stopped<reqwest::Error>>) -> Result<Response, DriverError> {
        match error.refusal() {
            Some(refusal) if refusal.status() == 200 && refusal.is_json() => {
                refusal.json().map_err(|error| DriverError::Unreadable(error.to_string()))
            }
            _ => Err(error.into()),
        }
    }

    /// The text, in parts.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        let parts = self.output.iter().flat_map(|output| match output {
            Output::Message { content } => &content[..],
            Output::Other => &[],
        });
        parts.filter_map(|part| match part {
            Part::Text { text } => Some(text.as_str()),
            Part::Other => None,
        })
    }

    /// What is known at the end, or why the model has failed.
    pub(crate) fn into_answer(self) -> Result<Answer, DriverError> {
        match (self.status.as_str(), self.error) {
            ("completed" | "incomplete", None) => {
                Ok(Answer { usage: self.usage, stopped_early: self.incomplete_details.map(|details| details.reason) })
            }
            (_, Some(error)) => Err(DriverError::Failed(error.message)),
            (status, None) => Err(DriverError::Failed(format!("the response is {status}"))),
        }
    }
}
