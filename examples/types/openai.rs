//! The events of OpenAI's chat completions and completions, and of compatible APIs.

use serde::Deserialize;

/// The data of one event.
#[derive(Debug, Deserialize)]
pub(crate) struct Chunk {
    /// Empty in the chunk with the usage, and in Azure's first chunk. Some gateways omit it, or send `null`.
    pub(crate) choices: Option<Vec<Choice>>,
    /// Set in the last chunk if it was requested with `stream_options.include_usage`, otherwise null.
    pub(crate) usage: Option<Usage>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Choice {
    /// The text that a chunk of a chat completion adds. Azure's results of content filters have none.
    pub(crate) delta: Option<Delta>,
    /// The text that a chunk of a completion adds.
    pub(crate) text: Option<String>,
    /// Why the choice is complete, once it is: `stop`, `length`, `tool_calls`, ...
    pub(crate) finish_reason: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Delta {
    pub(crate) content: Option<String>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
pub(crate) struct Usage {
    pub(crate) prompt_tokens: u64,
    pub(crate) completion_tokens: u64,
}

impl Choice {
    /// Returns the text that the chunk adds.
    pub(crate) fn token(&self) -> &str {
        let content = self.delta.as_ref().and_then(|delta| delta.content.as_deref());
        content.or(self.text.as_deref()).unwrap_or_default()
    }
}
