//! The chat: the answer is an event stream of JSON.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use eventwire_web::{AbortSignal, Dialect, ReconnectPolicy, Request};
use js_sys::JsString;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::begin;
use crate::chunk::Chunk;
use crate::failure::Failure;
use crate::views::{ChatView, ConnectionView};
use crate::watch::Watch;

/// The idle timeout. The model may be silent for as long as the server allows.
const LONGEST_SILENCE: Duration = Duration::from_secs(300);

/// Sends a question and shows the answer. `body` is JSON with the conversation.
#[wasm_bindgen]
pub fn chat(body: JsString, view: ChatView, signal: AbortSignal) {
    begin(Box::pin(async move {
        match read(body, &view, &signal).await {
            _ if signal.aborted() => {}
            Ok(()) => view.end("complete", ""),
            Err(failure) => view.end(failure.outcome, &failure.words),
        }
    }));
}

async fn read(body: JsString, view: &ChatView, signal: &AbortSignal) -> Result<(), Failure> {
    let is_open = Rc::new(Cell::new(false));
    // A POST is sent again only if the server turned it away.
    let mut chunks = Request::post("/chat")
        .with_header("Content-Type", "application/json")
        .with_body(body)
        .with_signal(signal.clone())
        .eventsource()
        .with_policy(ReconnectPolicy::new().with_max_attempts(5).with_reconnection_time(Duration::from_millis(500)))
        .with_idle_timeout(LONGEST_SILENCE)
        .with_hooks(Watch { view: ConnectionView::clone(view), signal: signal.clone(), is_open: Rc::clone(&is_open) })
        .events()
        .json_with::<Chunk>(Dialect::OPENAI);
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.map_err(|error| Failure::chat(error, is_open.get()))?;
        view.text(&chunk.into_text());
    }
    Ok(())
}
