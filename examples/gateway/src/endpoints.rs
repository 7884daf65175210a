//! The endpoints. The content type of a request is ignored.

use std::sync::Arc;

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::http::header::HeaderMap;
use axum::response::{IntoResponse, Response};
use eventwire::Event;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::api_error::ApiError;
use crate::echo::{Echo, MODEL, words};
use crate::key::{self, Authorized};
use crate::payload::{Content, Payload, Prompts};
use crate::script::{Prompt, Reply};
use crate::server::{Piece, Service};

/// `POST /v1/chat/completions`.
pub(crate) async fn chat(
    _: Authorized,
    State(service): State<Arc<Service>>,
    body: Bytes,
) -> Result<Response, ApiError> {
    let mut payload = Payload::read(&body)?;
    let messages = payload.messages.take().ok_or_else(|| ApiError::missing("messages"))?;
    let (mut last, mut prompt_tokens) = (None, 0);
    for (index, message) in messages.into_iter().enumerate() {
        let is_user = message.role == "user";
        if is_user && message.content.is_none() {
            return Err(ApiError::missing(&format!("messages[{index}].content")));
        }
        let text = message.content.map(Content::into_text).unwrap_or_default();
        prompt_tokens += words(&text);
        if is_user {
            last = Some(text);
        }
    }
    let text = last.ok_or_else(|| {
        ApiError::invalid("messages", "it must contain a message with the role \"user\", which the model repeats")
    })?;
    let reply = match &service.settings.script {
        None => Reply { content: text, tool_calls: Vec::new() },
        Some(script) => {
            let has_tools = payload.tools.as_ref().is_some_and(|tools| !tools.is_empty());
            script.reply(Prompt { text: &text, has_tools })
        }
    };
    Ok(service.answer(Answer::chat(reply, payload.limit(), prompt_tokens), payload.delivery()))
}

/// `POST /v1/completions`.
pub(crate) async fn completions(
    _: Authorized,
    State(service): State<Arc<Service>>,
    body: Bytes,
) -> Result<Response, ApiError> {
    let mut payload = Payload::read(&body)?;
    let prompts = match payload.prompt.take() {
        None => return Err(ApiError::missing("prompt")),
        Some(Prompts::One(prompt)) => vec![prompt],
        Some(Prompts::Several(prompts)) if prompts.is_empty() => {
            return Err(ApiError::invalid("prompt", "it must contain at least one string"));
        }
        Some(Prompts::Several(prompts)) => prompts,
    };
    Ok(service.answer(Answer::completion(prompts, payload.limit()), payload.delivery()))
}

/// `GET /v1/models`.
pub(crate) async fn models(_: Authorized) -> Json<Value> {
    let model = json!({ "id": MODEL, "object": "model", "created": 0, "owned_by": "eventwire" });
    Json(json!({ "object": "list", "data": [model] }))
}

#[derive(Deserialize)]
pub(crate) struct Asked {
    text: Option<String>,
    /// A browser's `EventSource` cannot send the header `Authorization`.
    api_key: Option<String>,
}

/// `GET /v1/events`, for a browser's `EventSource`: a text as events of type `word`, followed by one of type `done`.
/// Their IDs count from 1.
pub(crate) async fn events(
    State(service): State<Arc<Service>>,
    headers: HeaderMap,
    Query(asked): Query<Asked>,
) -> Result<Response, ApiError> {
    key::check(key::bearer(&headers).or(asked.api_key.as_deref()), &service.settings)?;
    let words = Echo::new(asked.text.ok_or_else(|| ApiError::missing("text"))?, u64::MAX).into_tokens();
    let events = words.map(|word| ("word", word)).chain([("done", "[DONE]".to_owned())]);
    // A browser that reconnects has received this many.
    let seen = headers.get("last-event-id").and_then(|id| id.to_str().ok()?.parse().ok()).unwrap_or(0);
    let mut events = (1..).zip(events).skip(seen).peekable();
    if events.peek().is_none() {
        // The only successful response after which a browser does not reconnect.
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    Ok(service.stream(events.map(|(id, (event_type, data))| {
        let event = Event::new(data).with_event_type(event_type);
        let event = event.map(|event| event.with_numeric_id(id)).map_err(Into::into);
        Piece { event, is_after_pause: id > 1 && event_type == "word" }
    })))
}
