//! `POST /v1/chat/completions`.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use serde_json::Value;

use crate::answer::{Answer, Call, Form};
use crate::api_error::ApiError;
use crate::echo::{Echo, words};
use crate::request::{Authorized, Options, Param, Payload};
use crate::script::Prompt;
use crate::server::Service;

pub(crate) async fn complete(
    _: Authorized,
    State(service): State<Arc<Service>>,
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
        return Err(messages.must("contain a message with the role \"user\", which the model repeats"));
    };
    let (text, calls) = match &service.settings.script {
        None => (text, Vec::new()),
        Some(script) => {
            let reply = script.reply(Prompt { text: &text, has_tools: has_tools(&payload)? });
            (reply.content, reply.tool_calls.into_iter().map(Call::new).collect())
        }
    };
    let echoes = vec![Echo::new(text, options.limit)];
    Answer { form: Form::Chat, echoes, calls, prompt_tokens }.deliver(options.delivery, &service)
}

/// Returns whether there is a tool that the model can call.
fn has_tools(payload: &Payload) -> Result<bool, ApiError> {
    let tools = payload.param("tools");
    Ok(tools.value().is_some() && tools.elements()?.next().is_some())
}

/// Returns the text of a message. Its content is text, or an array of parts, some of which are text. A message that
/// calls a tool has no text.
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
        Some(other) => Err(content.is_not("a string or an array of parts", other)),
    }
}
