//! The events of Anthropic's Messages API. They have types.

use serde::Deserialize;

/// The data of one event. Only the types that are needed for the text have a variant.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum MessageEvent {
    ContentBlockDelta {
        delta: Option<Delta>,
    },
    MessageDelta {
        usage: Usage,
    },
    #[serde(other)]
    Other,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Delta {
    TextDelta {
        text: String,
    },
    /// The input of a tool, a thought, a signature, ...
    #[serde(other)]
    Other,
}

#[derive(Clone, Copy, Debug, Deserialize)]
pub(crate) struct Usage {
    pub(crate) output_tokens: u64,
}
