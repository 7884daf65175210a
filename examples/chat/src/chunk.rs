//! A chunk of a streamed answer, as far as it is printed.

use serde::Deserialize;

/// One event's data.
#[derive(Deserialize)]
pub(crate) struct Chunk {
    /// Empty in some chunks, for example in Azure's first.
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
