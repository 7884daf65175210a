//! The parts that are printed of a chunk of a streamed answer, and of an answer that is not streamed.

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
    /// Returns the text that the chunk adds.
    pub(crate) fn text(&self) -> impl Iterator<Item = &str> {
        self.choices.iter().filter_map(|choice| choice.delta.content.as_deref())
    }
}

/// An answer that is not streamed.
#[derive(Deserialize)]
pub(crate) struct Completion {
    choices: (Whole,),
}

#[derive(Deserialize)]
struct Whole {
    message: Message,
}

#[derive(Deserialize)]
struct Message {
    content: String,
}

impl Completion {
    pub(crate) fn into_text(self) -> String {
        self.choices.0.message.content
    }
}
