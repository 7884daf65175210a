//! The answer to a chat or a prompt, complete or streamed.

mod call;
mod choice;
mod chunks;
mod id;
mod usage;

use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use serde::Serialize;

pub(crate) use self::call::Call;
use self::choice::Choice;
pub(crate) use self::choice::Form;
use self::chunks::Chunks;
use self::id::Id;
use self::usage::Usage;
use crate::api_error::ApiError;
use crate::echo::{Echo, FinishReason, MODEL};
use crate::pace;
use crate::request::Delivery;
use crate::server::Service;

/// What the model will say.
pub(crate) struct Answer {
    pub(crate) form: Form,
    /// One for each choice. There is at least one.
    pub(crate) echoes: Vec<Echo>,
    /// The tool calls of the first choice, which it makes unless it is truncated at its limit.
    pub(crate) calls: Vec<Call>,
    pub(crate) prompt_tokens: u64,
}

impl Answer {
    pub(crate) fn deliver(self, delivery: Delivery, service: &Service) -> Result<Response, ApiError> {
        match delivery {
            Delivery::Whole => self.whole().map_err(|error| ApiError::unwritable(&error)),
            Delivery::Stream(usage) => Ok(pace::respond(Chunks::new(self, usage), service)),
        }
    }

    /// Returns the finish reason of a choice, which applies after its last token.
    fn finish_reason(&self, choice: usize) -> FinishReason {
        match self.echoes[choice].finish_reason() {
            FinishReason::Stop if choice == 0 && !self.calls.is_empty() => FinishReason::ToolCalls,
            reason => reason,
        }
    }

    fn whole(mut self) -> Result<Response, serde_json::Error> {
        for echo in &mut self.echoes {
            echo.finish();
        }
        let choices: Vec<Choice<'_>> = (0..self.echoes.len())
            .map(|index| {
                let finish_reason = self.finish_reason(index);
                let calls = if let FinishReason::ToolCalls = finish_reason { self.calls.as_slice() } else { &[] };
                self.form.whole(index, self.echoes[index].said(), calls, finish_reason)
            })
            .collect();
        let usage = Usage::new(self.prompt_tokens, &self.echoes);
        let id = Id::new(self.form.id_prefix());
        let json = serde_json::to_string(&Payload::new(id, self.form.object(), &choices, Some(Some(usage))))?;
        Ok(([(CONTENT_TYPE, "application/json")], json).into_response())
    }
}

/// An answer, or a chunk of one, as JSON.
#[derive(Serialize)]
struct Payload<'a> {
    id: Id,
    object: &'static str,
    created: u64,
    model: &'static str,
    choices: &'a [Choice<'a>],
    /// `None` leaves the field out, `Some(None)` writes a null.
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<Option<Usage>>,
}

impl<'a> Payload<'a> {
    fn new(id: Id, object: &'static str, choices: &'a [Choice<'a>], usage: Option<Option<Usage>>) -> Payload<'a> {
        Payload { id, object, created: id.created(), model: MODEL, choices, usage }
    }
}
