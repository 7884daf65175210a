//! The events of OpenAI's Responses API, and of compatible APIs. They have types.

use serde::Deserialize;

/// The data of one event. Only the types that are needed for the text have a variant.
#[derive(Debug, Deserialize)]
#[serde(tag = "type")]
pub(crate) enum ResponseEvent {
    #[serde(rename = "response.output_text.delta")]
    TextDelta { delta: String },
    #[serde(rename = "response.completed")]
    Completed { response: Response },
    #[serde(rename = "response.incomplete")]
    Incomplete { response: Response },
    #[serde(rename = "response.failed")]
    Failed { response: Response },
    #[serde(other)]
    Other,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Response {
    pub(crate) usage: Option<Usage>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
pub(crate) struct Usage {
    pub(crate) input_tokens: u64,
    pub(crate) output_tokens: u64,
}
