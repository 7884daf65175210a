//! The answer of the model with `--demo`.

use gateway::{Reply, Script, ToolCall};

const ANSWER: &str = "Good morning! This answer comes in one response, as text and as sound. While you read the second \
    sentence, the first one is already being spoken: no word waits for its sound. Now let me look up the weather.";

pub(super) fn script() -> Script {
    let arguments = r#"{"city": "Lyon", "unit": "celsius"}"#;
    let call = ToolCall { name: "weather".into(), arguments: arguments.into() };
    Script::fixed(Reply { content: ANSWER.into(), tool_calls: vec![call] })
}
