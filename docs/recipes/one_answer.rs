//! Asks an OpenAI-compatible server once, and writes each token as it arrives.

use eventwire_reqwest::{Dialect, RequestBuilderExt};
use serde_json::{Value, json};
use std::{io::Write, time::Duration};

#[derive(serde::Deserialize)]
struct Chunk {
    choices: Option<Vec<Choice>>, // empty or missing in chunks about usage
}

#[derive(serde::Deserialize)]
struct Choice {
    delta: Option<Delta>, // a content filter's result has none
}

#[derive(serde::Deserialize)]
struct Delta {
    content: Option<String>,
}

/// Sends the messages by `request`, such as `client.post(url).bearer_auth(key)`, and
/// writes the answer as it arrives.
pub async fn ask(
    request: reqwest::RequestBuilder,
    messages: &Value,
    out: &mut impl Write,
) -> anyhow::Result<()> {
    let question =
        json!({ "model": "gpt-4o-mini", "stream": true, "messages": messages });
    // How long to wait for an event. Comments are none.
    let (first, between) = (Duration::from_secs(60), Duration::from_secs(20));
    let answer = request.json(&question).open().with_timeout(first).await?;
    let answer = answer.with_progress_timeout(first, between, |_| true);
    let mut chunks = answer.json_with::<Chunk>(Dialect::OPENAI);
    while let Some(chunk) = chunks.next().await {
        let choice = chunk?.choices.into_iter().flatten().next();
        let token = choice.and_then(|choice| choice.delta?.content);
        write!(out, "{}", token.unwrap_or_default())?;
        out.flush()?;
    }
    Ok(())
}
