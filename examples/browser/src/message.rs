//! What is sent to the model.

use serde::Serialize;

use crate::tool_call::ToolCall;

/// A message of a conversation, as in OpenAI's chat completions.
#[derive(Clone, Serialize)]
#[serde(tag = "role", rename_all = "lowercase")]
pub(crate) enum Message {
    User {
        content: String,
    },
    Assistant {
        content: String,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<ToolCall>,
    },
    /// The result of a call.
    Tool {
        tool_call_id: String,
        content: String,
    },
}

/// The body of a request. `tools` is JSON: the tools that the model may call.
pub(crate) fn body(messages: &[Message], tools: Option<&str>) -> String {
    // Writing text as JSON cannot fail.
    let messages = serde_json::to_string(messages).unwrap_or_default();
    match tools {
        None => format!("{{\"messages\":{messages}}}"),
        Some(tools) => format!("{{\"messages\":{messages},\"tools\":{tools}}}"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::change::TOOLS;

    #[test]
    fn the_body_is_json() {
        let call = json!({ "id": "a", "type": "function", "function": { "name": "f", "arguments": "{}" } });
        let messages = [
            Message::User { content: "\"é\"".into() },
            Message::Assistant {
                content: "Yes.".into(),
                tool_calls: vec![serde_json::from_value(call.clone()).unwrap()],
            },
            Message::Tool { tool_call_id: "a".into(), content: "done".into() },
            Message::Assistant { content: "Done.".into(), tool_calls: Vec::new() },
        ];
        let body: Value = serde_json::from_str(&body(&messages, Some(TOOLS))).unwrap();
        let expected = json!([
            { "role": "user", "content": "\"é\"" },
            { "role": "assistant", "content": "Yes.", "tool_calls": [call] },
            { "role": "tool", "tool_call_id": "a", "content": "done" },
            { "role": "assistant", "content": "Done." },
        ]);
        assert_eq!(body["messages"], expected);
        assert_eq!(body["tools"][0]["function"]["name"], "change_shape");
    }
}
