//! The part of a chunk of the model's answer that is used.

use serde::Deserialize;

/// The data of one event.
#[derive(Deserialize)]
pub(crate) struct Chunk {
    /// The answers that the chunk extends. Some chunks have none, for example the one with the usage, or a gateway's
    /// own.
    choices: Option<Vec<Choice>>,
}

#[derive(Deserialize)]
struct Choice {
    /// A filter's choices have none.
    delta: Option<Delta>,
}

/// The addition of a chunk to an answer.
#[derive(Deserialize)]
pub(crate) struct Delta {
    pub(crate) content: Option<String>,
    pub(crate) tool_calls: Option<Vec<CallDelta>>,
}

/// A piece of a tool call.
#[derive(Deserialize)]
pub(crate) struct CallDelta {
    /// The number of the call. Some servers omit it.
    pub(crate) index: Option<u64>,
    pub(crate) id: Option<String>,
    pub(crate) function: Option<FunctionDelta>,
}

#[derive(Default, Deserialize)]
pub(crate) struct FunctionDelta {
    pub(crate) name: Option<String>,
    pub(crate) arguments: Option<String>,
}

impl Chunk {
    /// Returns the additions to the answer. Requests ask for only one.
    pub(crate) fn into_deltas(self) -> impl Iterator<Item = Delta> {
        self.choices.into_iter().flatten().filter_map(|choice| choice.delta)
    }
}
