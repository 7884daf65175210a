//! `POST /v1/completions`.

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
    let prompts = prompts(&payload.param("prompt"))?;
    let prompt_tokens = prompts.iter().map(|prompt| words(prompt)).sum();
    let echoes = prompts.into_iter().map(|prompt| Echo::new(prompt.to_owned(), options.limit)).collect();
    Answer { form: Form::Text, echoes, prompt_tokens }.deliver(options.delivery, &settings)
}

/// One at least.
fn prompts<'p>(prompt: &Param<'p>) -> Result<Vec<&'p str>, ApiError> {
    match prompt.required()? {
        Value::String(text) => Ok(vec![text]),
        Value::Array(prompts) if prompts.is_empty() => Err(prompt.must("have a string in it at least")),
        Value::Array(_) => prompt.elements()?.map(|prompt| prompt.text()).collect(),
        other => Err(prompt.is_not("a string, or an array of strings", other)),
    }
}
