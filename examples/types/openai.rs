//! What OpenAI's chat completions and completions stream, and all who speak as they do.

use serde::Deserialize;

/// One event's data.
#[derive(Debug, Deserialize)]
pub(crate) struct Chunk {
    /// Empty in the chunk that has the usage, and in Azure's first.
    #[serde(default)]
    pub(crate) choices: Vec<Choice>,
    /// Where it was asked for with `stream_options.include_usage`: in the last chunk, and null before.
    pub(crate) usage: Option<Usage>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Choice {
    /// What a chat completion adds.
    #[serde(default)]
    pub(crate) delta: Delta,
    /// What a completion adds.
    pub(crate) text: Option<String>,
    /// `stop`, `length`, `tool_calls`, ...: the choice is complete.
    pub(crate) finish_reason: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
pub(crate) struct Delta {
    pub(crate) content: Option<String>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
pub(crate) struct Usage {
    pub(crate) prompt_tokens: u64,
    pub(crate) completion_tokens: u64,
}

impl Choice {
    /// What it adds to the text.
    pub(crate) fn token(&self) -> &str {
        self.delta.content.as_deref().or(self.text.as_deref()).unwrap_or_default()
    }
}
