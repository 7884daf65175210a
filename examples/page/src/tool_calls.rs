//! The model's tool calls, assembled from their pieces.

use serde::Serialize;

use crate::chunk::{CallDelta, FunctionDelta};

/// All tool calls of an answer, in the format of the assistant's message in the next request.
#[derive(Debug, Default, Serialize)]
pub(crate) struct ToolCalls {
    tool_calls: Vec<ToolCall>,
}

#[derive(Debug, Serialize)]
struct ToolCall {
    #[serde(skip)]
    index: Option<u64>,
    id: String,
    #[serde(rename = "type")]
    kind: &'static str,
    function: Function,
}

#[derive(Debug, Default, Serialize)]
struct Function {
    name: String,
    /// The JSON that the model writes, which may be invalid.
    arguments: String,
}

impl ToolCalls {
    pub(crate) fn is_empty(&self) -> bool {
        self.tool_calls.is_empty()
    }

    pub(crate) fn add(&mut self, delta: CallDelta) {
        let CallDelta { index, id, function } = delta;
        let id = id.unwrap_or_default();
        let FunctionDelta { name, arguments } = function.unwrap_or_default();
        let (name, arguments) = (name.unwrap_or_default(), arguments.unwrap_or_default());
        let call = match index {
            Some(_) => self.tool_calls.iter_mut().rev().find(|call| call.index == index),
            None => self.tool_calls.last_mut(),
        };
        // Some servers send the same index for every call, or none. A new ID begins a new call.
        match call.filter(|call| id.is_empty() || call.id == id) {
            Some(call) => call.function.arguments += &arguments,
            None => {
                let function = Function { name, arguments };
                self.tool_calls.push(ToolCall { index, id, kind: "function", function });
            }
        }
    }
}
