//! What the model says if it does not repeat.

/// An answer that the model gives to every chat, instead of repeating the last user message.
#[derive(Clone, Debug, Default)]
pub struct Script {
    /// The text.
    pub content: String,
    /// The tools that the model calls after the text, unless the text was cut at its limit.
    pub tool_calls: Vec<ToolCall>,
}

/// A call of a tool.
#[derive(Clone, Debug)]
pub struct ToolCall {
    /// The name of the function.
    pub name: String,
    /// The arguments, a JSON object. They are streamed piece by piece, as they are.
    pub arguments: String,
}
