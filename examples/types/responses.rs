//! The events of OpenAI's Responses API, and of compatible APIs. They have types.

use serde::Deserialize;

/// The data of one event. Only the types that are needed for the text have a variant.
#[derive(Debug, Deserialize)]
#[serde(tag = "type")]
pub(crate) enum ResponseEvent {
    #[serde(rename = "response.output_text.delta")]
    TextDelta { delta: Option<String> },
    /// The last event. Some gateways send `response.done`, whatever the status is.
    #[serde(
        rename = "response.completed",
        alias = "response.incomplete",
        alias = "response.failed",
        alias = "response.cancelled",
        alias = "response.done"
    )]
    Last { response: Response },
    #[serde(other)]
    Other,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Response {
    /// `completed`, `incomplete`, `failed` or `cancelled`.
    pub(crate) status: Option<String>,
    pub(crate) usage: Option<Usage>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
pub(crate) struct Usage {
    pub(crate) input_tokens: u64,
    pub(crate) output_tokens: u64,
}
