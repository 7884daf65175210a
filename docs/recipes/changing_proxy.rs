//! Forwards an answer of an OpenAI-compatible server, and changes it on the way.

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use eventwire::{BlockItem, Event, EventBody, EventType};
use eventwire::{Decoder, Eof, KeepAlive, Outgoing, TokioTimer};
use eventwire_reqwest::RequestBuilderExt;
use futures_util::{Stream, StreamExt, TryFutureExt, TryStreamExt, stream};
use serde_json::{Value, json};
use std::time::Duration;

const PING: EventType = EventType::new("ping").unwrap();
const USAGE: EventType = EventType::new("usage").unwrap();
const SILENCE: Duration = Duration::from_secs(300); // models think

/// Sends the request, and forwards the answer.
pub async fn relay(request: reqwest::RequestBuilder) -> Response {
    let opening = request.open().with_timeout(SILENCE).map_ok(|opened| {
        // A truncated event is an error.
        let decoder = Decoder::new().with_eof(Eof::Error);
        let blocks = opened.with_decoder(decoder).with_idle_timeout(SILENCE).blocks();
        blocks.map_err(|error| error.to_string())
    });
    let mut opening = Box::pin(opening.map_err(|error| error.to_string()));
    // The client may not wait for long without a byte. So if the server is slow, the
    // response begins, and its body waits for the server.
    match tokio::time::timeout(Duration::from_secs(5), &mut opening).await {
        Ok(Ok(blocks)) => forward(blocks),
        Ok(Err(error)) => (StatusCode::BAD_GATEWAY, error).into_response(),
        Err(_) => forward(opening.try_flatten_stream()),
    }
}

pub fn forward(
    blocks: impl Stream<Item = Result<BlockItem, String>> + Send + 'static,
) -> Response {
    let changed = blocks.flat_map(|item| stream::iter(item.map_or_else(failed, changed)));
    let ping = Event::new("{}").with_checked_type(PING);
    let kept = KeepAlive::new(changed, Duration::from_secs(15), TokioTimer);
    EventBody::new(kept.with_block(ping)).response().into_response()
}

/// What is sent in place of a block or a comment.
fn changed(item: BlockItem) -> Vec<Outgoing> {
    let BlockItem::Block(block) = item else { return vec![item.into()] };
    // A block is complete, even if the key came in two chunks.
    let Some(data) = block.data().map(|data| data.replace("sk-secret", "***")) else {
        return vec![block.into()]; // only an ID or a reconnection time
    };
    let Ok(mut chunk) = serde_json::from_str::<Value>(&data) else {
        return vec![block.with_data(data).into()]; // `[DONE]`
    };
    if let Some(model) = chunk.get_mut("model") {
        *model = "ours".into();
    }
    let mut sent = vec![block.with_data(chunk.to_string()).into()];
    if chunk["usage"].is_object() {
        let usage = chunk["usage"].to_string();
        sent.push(Event::new(usage).with_checked_type(USAGE).into());
    }
    sent
}

/// The status has been sent, so an error is an event.
fn failed(error: String) -> Vec<Outgoing> {
    vec![Event::new(json!({ "error": { "message": error } }).to_string()).into()]
}
