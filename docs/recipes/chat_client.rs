//! A chat client for OpenAI-compatible servers. It retries, and writes each token of the answer as it arrives.

use eventwire_reqwest::{ReconnectPolicy, Refusal, RefusalExt, RequestBuilderExt};
use futures_util::TryStreamExt;
use serde_json::{Value, json};
use std::{error::Error, io, io::Write, iter, time::Duration};

#[derive(serde::Deserialize)]
struct Chunk {
    choices: Vec<Choice>, // empty in the chunk that reports the usage
}

#[derive(serde::Deserialize)]
struct Choice {
    delta: Delta,
}

#[derive(serde::Deserialize)]
struct Delta {
    content: Option<String>,
}

/// Sends the messages by `request`, such as `client.post(url).bearer_auth(key)`, and writes the answer as it arrives.
pub async fn ask(request: reqwest::RequestBuilder, messages: &Value, out: &mut impl Write) -> io::Result<()> {
    let request = request.json(&json!({ "model": "gpt-4o-mini", "stream": true, "messages": messages }));
    let policy = ReconnectPolicy::new().with_max_attempts(4).with_reconnection_time(Duration::from_millis(500));
    let source = request.with_redirects(10).eventsource().map_err(|error| describe(&error, None))?;
    let source = source.with_policy(policy).with_idle_timeout(Duration::from_secs(60)).with_delay(|delay, _, error| {
        eprintln!("{}; retrying in {delay:.1?}", describe(error, None));
        delay
    });
    let mut chunks = source.events().json::<Chunk>().require_end_marker(); // no `[DONE]`: the answer is truncated
    while let Some(chunk) = chunks.try_next().await.map_err(|error| describe(&error, error.refusal()))? {
        let token = chunk.choices.first().and_then(|choice| choice.delta.content.as_deref());
        write!(out, "{}", token.unwrap_or_default()).and_then(|()| out.flush())?;
    }
    Ok(())
}

// One line: the error, its causes, and the message of a response such as `{"error":{"message":"no such model"}}`.
fn describe(error: &(dyn Error + 'static), refusal: Option<&Refusal>) -> io::Error {
    let causes = iter::successors(Some(error), |&error| error.source()).map(ToString::to_string);
    let text = refusal.and_then(|it| Some(it.json::<Value>().ok()?["error"]["message"].as_str()?.replace('\n', " ")));
    io::Error::other(causes.chain(text).collect::<Vec<_>>().join(": "))
}
