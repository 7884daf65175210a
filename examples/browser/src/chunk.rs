//! A chunk of the model's answer, as far as it is used.

use serde::Deserialize;

/// One event's data.
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
    content: Option<String>,
}

impl Chunk {
    /// The text that the chunk adds.
    pub(crate) fn text(&self) -> impl Iterator<Item = &str> {
        self.choices.iter().filter_map(|choice| choice.delta.content.as_deref())
    }
}
