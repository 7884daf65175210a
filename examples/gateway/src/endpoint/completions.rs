//! `POST /v1/completions`.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use serde_json::Value;

use crate::answer::{Answer, Form};
use crate::api_error::ApiError;
use crate::echo::{Echo, words};
use crate::request::{Authorized, Options, Param, Payload};
use crate::server::Service;

pub(crate) async fn complete(
    _: Authorized,
    State(service): State<Arc<Service>>,
    payload: Payload,
) -> Result<Response, ApiError> {
    let options = Options::read(&payload)?;
    let prompts = prompts(&payload.param("prompt"))?;
    let prompt_tokens = prompts.iter().map(|prompt| words(prompt)).sum();
    let echoes = prompts.into_iter().map(|prompt| Echo::new(prompt.to_owned(), options.limit)).collect();
    Answer { form: Form::Text, echoes, calls: Vec::new(), prompt_tokens }.deliver(options.delivery, &service)
}

/// Returns the prompts, at least one.
fn prompts<'p>(prompt: &Param<'p>) -> Result<Vec<&'p str>, ApiError> {
    match prompt.required()? {
        Value::String(text) => Ok(vec![text]),
        Value::Array(prompts) if prompts.is_empty() => Err(prompt.must("contain at least one string")),
        Value::Array(_) => prompt.elements()?.map(|prompt| prompt.text()).collect(),
        other => Err(prompt.is_not("a string or an array of strings", other)),
    }
}
