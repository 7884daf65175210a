//! The part of a chunk of the model's answer that the page uses.

use serde::Deserialize;

/// The data of one event, `{"choices":[{"delta":{"content":".."}}]}`.
#[derive(Deserialize)]
pub(crate) struct Chunk {
    /// Empty in some chunks, for example in the one with the usage.
    #[serde(default)]
    choices: Vec<Choice>,
}

#[derive(Deserialize)]
struct Choice {
    #[serde(default)]
    delta: Delta,
}

#[derive(Default, Deserialize)]
struct Delta {
    /// `null` in chunks with a tool call.
    content: Option<String>,
}

impl Chunk {
    /// Returns the text that the chunk adds.
    pub(crate) fn into_text(self) -> String {
        self.choices.into_iter().filter_map(|choice| choice.delta.content).collect()
    }
}
