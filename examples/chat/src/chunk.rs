//! A chunk of a streamed answer, and an answer that is not streamed, as far as they are printed.

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

/// The whole answer.
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
