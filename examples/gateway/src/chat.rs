//! `POST /v1/chat/completions`.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use serde_json::Value;

use super::Settings;
use super::answer::Answer;
use super::choice::Form;
use super::echo::{Echo, words};
use super::error::ApiError;
use super::key::Authorized;
use super::options::Options;
use super::param::Param;
use super::payload::Payload;

pub(super) async fn complete(
    _: Authorized,
    State(settings): State<Arc<Settings>>,
    payload: Payload,
) -> Result<Response, ApiError> {
    let options = Options::read(&payload)?;
    let messages = payload.param("messages");
    let mut last = None;
    let mut prompt_tokens = 0;
    for message in messages.elements()? {
        let is_user = message.member("role")?.text()? == "user";
        let content = message.member("content")?;
        if is_user {
            content.required()?;
        }
        let text = text(&content)?;
        prompt_tokens += words(&text);
        if is_user {
            last = Some(text);
        }
    }
    let Some(text) = last else {
        return Err(messages.must("have a message whose role is \"user\": it is what the answer says again"));
    };
    let echoes = vec![Echo::new(text, options.limit)];
    Answer { form: Form::Chat, echoes, prompt_tokens }.deliver(options.delivery, &settings)
}

/// What a message says: its content is text, or parts of which some are. Where a tool is called, there is none.
fn text(content: &Param<'_>) -> Result<String, ApiError> {
    match content.value() {
        None => Ok(String::new()),
        Some(Value::String(text)) => Ok(text.clone()),
        Some(Value::Array(_)) => {
            let mut text = String::new();
            for part in content.elements()? {
                if part.member("type")?.text()? == "text" {
                    text += part.member("text")?.text()?;
                }
            }
            Ok(text)
        }
        Some(other) => Err(content.is_not("a string, or an array of parts", other)),
    }
}
