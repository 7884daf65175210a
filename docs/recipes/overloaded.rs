//! Asks Anthropic's API. If the model is overloaded before the first token, asks again.

use anyhow::Context;
use eventwire_reqwest::{Dialect, JsonError, OpenError, RequestBuilderExt};
use futures_util::TryStreamExt;
use serde_json::{Value, json};
use std::{io::Write, time::Duration};
use tokio::time::sleep;

const LONGEST_DELAY: Duration = Duration::from_secs(60);

#[derive(serde::Deserialize)]
struct Payload {
    delta: Option<Delta>, // only in some events
}

#[derive(serde::Deserialize)]
struct Delta {
    text: Option<String>,
}

enum Answer {
    Complete,
    /// Nothing was written. The value is how long the server asks to wait.
    Overloaded(Option<Duration>),
}

/// `question` has the model, the messages and `max_tokens`.
pub async fn ask(
    request: reqwest::RequestBuilder,
    mut question: Value,
    out: &mut impl Write,
) -> anyhow::Result<()> {
    question["stream"] = json!(true);
    let request = request.header("anthropic-version", "2023-06-01").json(&question);
    let mut delays = [1.0, 2.0, 4.0].into_iter();
    loop {
        let attempt = request.try_clone().context("a body that can be sent once")?;
        let Answer::Overloaded(server_delay) = answer(attempt, out).await? else {
            return Ok(());
        };
        let seconds = delays.next().context("the model is overloaded")?;
        // At random, so that not all clients return at the same time.
        let delay = Duration::from_secs_f64(seconds * (0.5 + fastrand::f64()));
        sleep(server_delay.unwrap_or_default().clamp(delay, LONGEST_DELAY)).await;
    }
}

async fn answer(
    request: reqwest::RequestBuilder,
    out: &mut impl Write,
) -> anyhow::Result<Answer> {
    let silence = Duration::from_secs(60);
    let events = match request.open().with_timeout(silence).await {
        Err(OpenError::Refused(response)) if response.status().as_u16() == 529 => {
            return Ok(Answer::Overloaded(response.retry_after()));
        }
        events => events?.with_idle_timeout(silence),
    };
    let mut payloads = events.json_with::<Payload>(Dialect::ANTHROPIC);
    let mut has_written = false;
    loop {
        match payloads.try_next().await {
            Ok(Some(payload)) => {
                let Some(text) = payload.delta.and_then(|delta| delta.text) else {
                    continue;
                };
                write!(out, "{text}")?;
                out.flush()?;
                has_written = true;
            }
            Ok(None) => return Ok(Answer::Complete),
            Err(JsonError::Reported { event, .. })
                if !has_written && is_overloaded(event.data()) =>
            {
                return Ok(Answer::Overloaded(None));
            }
            Err(error) => return Err(error.into()),
        }
    }
}

fn is_overloaded(data: &str) -> bool {
    let data: Value = serde_json::from_str(data).unwrap_or_default();
    data["error"]["type"] == "overloaded_error"
}
