//! A chat client for OpenAI-compatible servers. It retries, and writes each token of the
//! answer as it arrives.

use eventwire_reqwest::{Dialect, ReconnectPolicy, RequestBuilderExt};
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
    let policy = ReconnectPolicy::new()
        .with_max_attempts(4)
        .with_reconnection_time(Duration::from_millis(500));
    let source = request.json(&question).with_redirects(10).eventsource()?;
    let source = source.with_policy(policy).with_idle_timeout(Duration::from_secs(60));
    let source = source.on_retry(|error, delay, _| {
        eprintln!("{error}; retrying in {delay:.1?}");
    });
    // An answer without `[DONE]` is truncated.
    let mut chunks = source.events().json_with::<Chunk>(Dialect::OPENAI);
    while let Some(chunk) = chunks.next().await {
        let choice = chunk?.choices.into_iter().flatten().next();
        let token = choice.and_then(|choice| choice.delta?.content);
        write!(out, "{}", token.unwrap_or_default())?;
        out.flush()?;
    }
    Ok(())
}
