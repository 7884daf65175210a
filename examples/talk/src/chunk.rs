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
    index: u64,
    #[serde(default)]
    delta: Delta,
}

/// What a chunk adds to the answer.
#[derive(Default, Deserialize)]
pub(crate) struct Delta {
    pub(crate) content: Option<String>,
    pub(crate) tool_calls: Option<Vec<CallDelta>>,
}

/// A piece of a call.
#[derive(Deserialize)]
pub(crate) struct CallDelta {
    /// Which call it belongs to. Some servers leave it out.
    pub(crate) index: Option<u64>,
    pub(crate) id: Option<String>,
    #[serde(default)]
    pub(crate) function: FunctionDelta,
}

#[derive(Default, Deserialize)]
pub(crate) struct FunctionDelta {
    pub(crate) name: Option<String>,
    pub(crate) arguments: Option<String>,
}

impl Chunk {
    /// The pieces of the first answer. Only one is asked for.
    pub(crate) fn into_deltas(self) -> impl Iterator<Item = Delta> {
        self.choices.into_iter().filter(|choice| choice.index == 0).map(|choice| choice.delta)
    }
}
