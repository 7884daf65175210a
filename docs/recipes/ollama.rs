//! Asks a model of Ollama, writes the answer as it arrives, and returns the calls of
//! tools.

use eventwire_reqwest::{Dialect, RequestBuilderExt};
use serde_json::{Value, json};
use std::{io::Write, time::Duration};

#[derive(serde::Deserialize)]
struct Line {
    message: Message,
}

#[derive(serde::Deserialize)]
struct Message {
    content: String,
    #[serde(default)]
    tool_calls: Vec<Call>,
}

#[derive(Debug, serde::Deserialize)]
pub struct Call {
    pub function: Function,
}

#[derive(Debug, serde::Deserialize)]
pub struct Function {
    pub name: String,
    pub arguments: Value, // complete, unlike those of OpenAI's API
}

/// Sends the messages by `request`, such as
/// `client.post("http://localhost:11434/api/chat")`.
pub async fn ask(
    request: reqwest::RequestBuilder,
    messages: &Value,
    tools: &Value,
    out: &mut impl Write,
) -> anyhow::Result<Vec<Call>> {
    let question = json!({ "model": "llama3.2", "messages": messages, "tools": tools });
    // The model may have to be loaded first.
    let patience = Duration::from_secs(300);
    let lines = request.json(&question).open_lines().with_timeout(patience).await?;
    let lines = lines.with_idle_timeout(patience);
    let mut answer = lines.json_lines_with::<Line>(Dialect::OLLAMA);
    let mut calls = Vec::new();
    while let Some(line) = answer.next().await {
        let Line { message } = line?;
        write!(out, "{}", message.content)?;
        out.flush()?;
        calls.extend(message.tool_calls);
    }
    Ok(calls)
}
