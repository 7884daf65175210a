//! A call of a tool.

use serde::{Deserialize, Serialize};

/// The calls of an answer: a part of type `application/json`.
#[derive(Deserialize)]
pub(crate) struct ToolCalls {
    pub(crate) tool_calls: Vec<ToolCall>,
}

/// A call, as the model made it. The next request sends it back.
#[derive(Clone, Deserialize, Serialize)]
pub(crate) struct ToolCall {
    #[serde(default)]
    pub(crate) id: String,
    #[serde(rename = "type", default)]
    kind: Kind,
    pub(crate) function: Function,
}

#[derive(Clone, Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    #[default]
    Function,
}

#[derive(Clone, Deserialize, Serialize)]
pub(crate) struct Function {
    #[serde(default)]
    pub(crate) name: String,
    /// JSON, as the model wrote it. It need not be valid.
    #[serde(default)]
    pub(crate) arguments: String,
}
