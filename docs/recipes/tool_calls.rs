//! Asks an OpenAI-compatible server with tools. Writes the text as it arrives, and
//! returns the tool calls when they are complete.

use eventwire_reqwest::{Dialect, RequestBuilderExt};
use serde_json::{Value, json};
use std::{collections::BTreeMap, io::Write, time::Duration};

#[derive(serde::Deserialize)]
struct Chunk {
    choices: Option<Vec<Choice>>, // empty or missing in chunks about usage
}

#[derive(serde::Deserialize)]
struct Choice {
    delta: Option<Delta>,
    finish_reason: Option<String>,
}

#[derive(serde::Deserialize)]
struct Delta {
    content: Option<String>,
    tool_calls: Option<Vec<Piece>>,
}

#[derive(serde::Deserialize)]
struct Piece {
    index: u32, // of its call: the pieces of two calls may alternate
    id: Option<String>,
    function: Option<Function>,
}

#[derive(serde::Deserialize)]
struct Function {
    name: Option<String>,
    arguments: Option<String>,
}

#[derive(Debug, Default, PartialEq)]
pub struct ToolCall {
    pub id: String,
    pub name: String,
    pub arguments: String, // JSON, written by a model: check it before you use it
}

/// `question` has the model, the messages and the tools.
pub async fn ask(
    request: reqwest::RequestBuilder,
    mut question: Value,
    out: &mut impl Write,
) -> anyhow::Result<Vec<ToolCall>> {
    question["stream"] = json!(true);
    let silence = Duration::from_secs(60);
    let answer = request.json(&question).open().with_timeout(silence).await?;
    let answer = answer.with_idle_timeout(silence);
    let mut chunks = answer.json_with::<Chunk>(Dialect::OPENAI);
    let (mut calls, mut reason) = (BTreeMap::<u32, ToolCall>::new(), None);
    while let Some(chunk) = chunks.next().await {
        let Some(choice) = chunk?.choices.into_iter().flatten().next() else { continue };
        reason = choice.finish_reason.or(reason);
        let Some(delta) = choice.delta else { continue };
        write!(out, "{}", delta.content.unwrap_or_default())?;
        out.flush()?;
        for piece in delta.tool_calls.into_iter().flatten() {
            let call = calls.entry(piece.index).or_default();
            // Some servers repeat the ID and the name in each piece, or send empty ones.
            if call.id.is_empty() {
                call.id = piece.id.unwrap_or_default();
            }
            let Some(function) = piece.function else { continue };
            if call.name.is_empty() {
                call.name = function.name.unwrap_or_default();
            }
            call.arguments += &function.arguments.unwrap_or_default();
        }
    }
    // After "length" or "content_filter", the last call may be cut off.
    match reason.as_deref() {
        Some("stop" | "tool_calls") => Ok(calls.into_values().collect()),
        reason => anyhow::bail!("the answer is not complete, finish_reason: {reason:?}"),
    }
}
