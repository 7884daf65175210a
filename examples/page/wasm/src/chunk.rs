//! The part of a chunk of the model's answer that the page uses.

use serde::Deserialize;

/// The data of one event, `{"choices":[{"delta":{"content":".."}}]}`.
#[derive(Deserialize)]
pub(crate) struct Chunk {
    /// Some chunks have none, for example the one with the usage, or a gateway's own.
    choices: Option<Vec<Choice>>,
}

#[derive(Deserialize)]
struct Choice {
    /// A filter's choices have none.
    delta: Option<Delta>,
}

#[derive(Deserialize)]
struct Delta {
    /// `null` in chunks with a tool call.
    content: Option<String>,
}

impl Chunk {
    /// Returns the text that the chunk adds.
    pub(crate) fn into_text(self) -> String {
        self.choices.into_iter().flatten().filter_map(|choice| choice.delta?.content).collect()
    }
}
