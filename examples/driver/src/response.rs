//! The parts of the Responses API's JSON that the driver reads.

use crate::DriverError;
use eventwire_reqwest::{ErrorExt, JsonError, Stopped};
use serde::Deserialize;
use serde_json::Value;

/// One event's data.
#[derive(Debug, Deserialize)]
#[serde(try_from = "Members")]
pub(crate) enum ResponseEvent {
    /// A piece of the answer. If the model declines to answer, the refusal arrives in events of another type.
    Delta {
        delta: String,
    },
    Last {
        response: Response,
    },
    Other,
}

/// The members of an event. Gateways add events of their own, so each may be missing.
#[derive(Deserialize)]
struct Members {
    #[serde(rename = "type")]
    kind: Option<String>,
    /// In events of other types, it may be no text.
    #[serde(default)]
    delta: Value,
    /// In events of other types, it may be no response.
    #[serde(default)]
    response: Value,
}

/// The complete response. It is in the last event; a server that does not stream sends it alone.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Response {
    status: Option<String>,
    output: Option<Vec<Output>>,
    usage: Option<Usage>,
    error: Option<ErrorObject>,
    incomplete_details: Option<IncompleteDetails>,
}

/// What the server reports at the end of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Answer {
    /// The tokens that are billed, if the server reports them.
    pub usage: Option<Usage>,
    /// Why the model stopped early, such as `max_output_tokens`.
    pub stopped_early: Option<String>,
}

/// The tokens that are billed for an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct Usage {
    /// The tokens that the model read.
    pub input_tokens: u64,
    /// The tokens that the model wrote.
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
struct Part {
    /// A part of another type than these two has none.
    #[serde(alias = "refusal")]
    text: Option<String>,
}

#[derive(Debug, Deserialize)]
struct ErrorObject {
    message: String,
}

#[derive(Debug, Deserialize)]
struct IncompleteDetails {
    reason: String,
}

impl TryFrom<Members> for ResponseEvent {
    type Error = serde_json::Error;

    fn try_from(members: Members) -> Result<ResponseEvent, serde_json::Error> {
        Ok(match (members.kind.as_deref().unwrap_or_default(), members.delta) {
            ("response.output_text.delta" | "response.refusal.delta", Value::String(delta)) => {
                ResponseEvent::Delta { delta }
            }
            // The types that end the stream, by `Dialect::OPENAI_RESPONSES`.
            (
                kind @ ("response.completed"
                | "response.incomplete"
                | "response.failed"
                | "response.cancelled"
                | "response.done"),
                _,
            ) => {
                let mut response = Option::<Response>::deserialize(members.response)?.unwrap_or_default();
                // Some gateways leave out the status, which the type says too. Only `done` is not a status.
                response.status.get_or_insert_with(|| match kind.trim_start_matches("response.") {
                    "done" => "completed".to_owned(),
                    status => status.to_owned(),
                });
                ResponseEvent::Last { response }
            }
            _ => ResponseEvent::Other,
        })
    }
}

impl Response {
    /// Returns the response of a server that answered with JSON instead of events.
    pub(crate) fn instead_of_events(error: JsonError<Stopped<reqwest::Error>>) -> Result<Response, DriverError> {
        match error.response() {
            Some(refusal) if refusal.status() == 200 && refusal.is_json() => {
                refusal.json().map_err(|error| DriverError::Unreadable(error.to_string()))
            }
            _ => Err(error.into()),
        }
    }

    /// Returns the parts of the text.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        let parts = self.output.iter().flatten().flat_map(|output| match output {
            Output::Message { content } => &content[..],
            Output::Other => &[],
        });
        parts.filter_map(|part| part.text.as_deref())
    }

    /// Returns what the server reports at the end, or why the model failed.
    pub(crate) fn into_answer(self) -> Result<Answer, DriverError> {
        let reason = self.incomplete_details.map(|details| details.reason);
        let stopped_early = match (self.status.as_deref().unwrap_or("unknown"), self.error) {
            (_, Some(error)) => return Err(DriverError::Failed(error.message)),
            ("completed", None) => reason,
            ("incomplete", None) => Some(reason.unwrap_or_else(|| "the server gave no reason".to_owned())),
            (status, None) => return Err(DriverError::Failed(format!("the response is {status}"))),
        };
        Ok(Answer { usage: self.usage, stopped_early })
    }
}
