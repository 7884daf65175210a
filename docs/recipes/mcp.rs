//! Sends a request to an MCP server over Streamable HTTP. If the connection breaks, a GET
//! continues the stream of the POST.

use anyhow::Context;
use eventwire_reqwest::{Item, ReconnectPolicy, Resend};
use serde_json::Value;
use std::{future::ready, time::Duration};

/// Returns the response to `request`, which is JSON-RPC with an `id`. Calls `on_message`
/// with the server's notifications and requests before it.
pub async fn call(
    client: &reqwest::Client,
    url: &str,
    session: Option<&str>, // `Mcp-Session-Id`, from the answer to `initialize`
    request: &Value,
    mut on_message: impl FnMut(Value),
) -> anyhow::Result<Value> {
    let source = eventwire_reqwest::from_fn(|attempt| {
        let http = match attempt.last_event_id() {
            None => client.post(url).json(request),
            Some(_) => client.get(url), // the source adds the header `Last-Event-ID`
        };
        let http = http.header("Accept", "application/json, text/event-stream");
        let http = http.header("MCP-Protocol-Version", "2025-06-18");
        ready(Ok::<_, reqwest::Error>(match session {
            Some(session) => http.header("Mcp-Session-Id", session),
            None => http,
        }))
    });
    // Without an ID the stream cannot continue, and the POST may have been carried out.
    let policy =
        ReconnectPolicy::new().with_resend(Resend::WithCursor).with_max_attempts(5);
    let source = source.with_policy(policy).with_idle_timeout(Duration::from_secs(60));
    let mut source = source.with_max_unexpected_body(16 << 20);
    while let Some(item) = source.next().await {
        let event = match item {
            Item::Event(event) => event,
            Item::Undecodable(error) => return Err(error.into()), // too large
            _ => continue,
        };
        if event.data().is_empty() {
            continue; // it has only an ID, to continue from
        }
        let message: Value =
            serde_json::from_str(event.data()).context("not JSON-RPC")?;
        if is_response(&message, request) {
            return Ok(message);
        }
        on_message(message);
    }
    let stopped = source.into_stopped();
    match stopped.response() {
        // The server has answered with JSON instead of a stream.
        Some(answer) if answer.status() == 200 && answer.is_json() => Ok(answer.json()?),
        _ => Err(stopped).context("the server has not answered the request"),
    }
}

fn is_response(message: &Value, request: &Value) -> bool {
    message["id"] == request["id"]
        && message.get("result").or(message.get("error")).is_some()
}
