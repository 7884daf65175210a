//! The model's tool calls, assembled from their pieces.

use serde::Serialize;

use crate::chunk::CallDelta;

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
        let (name, arguments) = (function.name.unwrap_or_default(), function.arguments.unwrap_or_default());
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

    /// Returns an object with the member `tool_calls`.
    pub(crate) fn to_json(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    /// Checks the calls after these deltas: ID, name, arguments.
    #[track_caller]
    fn check(deltas: &[Value], expected: &[(&str, &str, &str)]) {
        let mut calls = ToolCalls::default();
        for delta in deltas {
            calls.add(serde_json::from_value(delta.clone()).unwrap());
        }
        let expected = expected.iter().map(|(id, name, arguments)| {
            json!({ "id": id, "type": "function", "function": { "name": name, "arguments": arguments } })
        });
        let json: Value = serde_json::from_str(&calls.to_json().unwrap()).unwrap();
        assert_eq!(json, json!({ "tool_calls": expected.collect::<Vec<_>>() }));
    }

    #[test]
    fn pieces_are_put_together() {
        let start =
            |index: u64, id, name| json!({ "index": index, "id": id, "function": { "name": name, "arguments": "" } });
        let more = |index: u64, arguments| json!({ "index": index, "function": { "arguments": arguments } });
        check(&[start(0, "a", "f"), more(0, "{\"n"), more(0, "\":1}")], &[("a", "f", "{\"n\":1}")]);
        check(
            &[start(0, "a", "f"), start(1, "b", "g"), more(1, "1"), more(0, "2"), more(1, "3")],
            &[("a", "f", "2"), ("b", "g", "13")],
        );
    }

    #[test]
    fn other_servers() {
        let call = |index: Option<u64>, id: Option<&str>, name: Option<&str>, arguments: &str| json!({ "index": index, "id": id, "function": { "name": name, "arguments": arguments } });
        // Each piece has the ID and the name, or empty ones.
        check(
            &[call(Some(0), Some("a"), Some("f"), "1"), call(Some(0), Some("a"), Some("f"), "2")],
            &[("a", "f", "12")],
        );
        check(&[call(Some(0), Some("a"), Some("f"), "1"), call(Some(0), Some(""), Some(""), "2")], &[("a", "f", "12")]);
        // Complete calls, with the same index or none.
        for index in [None, Some(0)] {
            let calls = [call(index, Some("a"), Some("f"), "1"), call(index, Some("b"), Some("f"), "2")];
            check(&calls, &[("a", "f", "1"), ("b", "f", "2")]);
        }
        check(&[call(None, None, Some("f"), "1"), json!({})], &[("", "f", "1")]);
    }
}
