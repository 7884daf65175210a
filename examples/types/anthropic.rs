//! What Anthropic's Messages stream: events that say their type.

use serde::Deserialize;

/// The type of the event with which a stream ends.
pub(crate) const END: &str = "message_stop";

/// One event's data. Of the types there are, those that matter to who wants the text.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum MessageEvent {
    ContentBlockDelta {
        delta: Delta,
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
