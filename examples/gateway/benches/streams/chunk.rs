//! The text in a chunk of a streamed chat completion.

use serde::Deserialize;

#[derive(Deserialize)]
pub(crate) struct Chunk {
    choices: Vec<Choice>,
}

#[derive(Deserialize)]
struct Choice {
    delta: Delta,
}

#[derive(Deserialize)]
struct Delta {
    content: Option<String>,
}

impl Chunk {
    /// The text that the chunk adds.
    pub(crate) fn tokens(&self) -> impl Iterator<Item = &str> {
        self.choices.iter().filter_map(|choice| choice.delta.content.as_deref())
    }
}
