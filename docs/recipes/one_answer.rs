//! Asks an OpenAI-compatible server once, and writes each token of the answer as it arrives.

use eventwire_reqwest::{Dialect, RequestBuilderExt};
use futures_util::TryStreamExt;
use serde_json::{Value, json};
use std::{io::Write, time::Duration};

#[derive(serde::Deserialize)]
struct Chunk {
    choices: Option<Vec<Choice>>, // some chunks have none, such as the one that reports the usage
}

#[derive(serde::Deserialize)]
struct Choice {
    delta: Option<Delta>, // a content filter's result has none
}

#[derive(serde::Deserialize)]
struct Delta {
    content: Option<String>,
}

/// Sends the messages by `request`, such as `client.post(url).bearer_auth(key)`, and writes the answer as it arrives.
pub async fn ask(request: reqwest::RequestBuilder, messages: &Value, out: &mut impl Write) -> anyhow::Result<()> {
    let request = request.json(&json!({ "model": "gpt-4o-mini", "stream": true, "messages": messages }));
    let (first, between) = (Duration::from_secs(60), Duration::from_secs(20)); // until an event; comments are none
    let answer = request.open().with_timeout(first).await?.with_progress_timeout(first, between, |_| true);
    let mut chunks = answer.json_with::<Chunk>(Dialect::OPENAI);
    while let Some(chunk) = chunks.try_next().await? {
        let choice = chunk.choices.into_iter().flatten().next();
        let token = choice.and_then(|choice| choice.delta?.content);
        write!(out, "{}", token.unwrap_or_default())?;
        out.flush()?;
    }
    Ok(())
}
