//! An answer, whole or streamed.

use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use super::Settings;
use super::choice::{Choice, Form};
use super::chunks::Chunks;
use super::echo::Echo;
use super::error::ApiError;
use super::id::Id;
use super::model::MODEL;
use super::options::Delivery;
use super::pace;
use super::usage::Usage;

/// What is to be said, and to how many tokens it is the answer.
pub(super) struct Answer {
    pub(super) form: Form,
    /// One for each choice, and one at least.
    pub(super) echoes: Vec<Echo>,
    pub(super) prompt_tokens: usize,
}

/// An answer, or a chunk of one, as it is written.
#[derive(Serialize)]
pub(super) struct Written<'a> {
    id: Id,
    object: &'static str,
    created: u64,
    model: &'static str,
    choices: &'a [Choice<'a>],
    /// None is no such field, and none within a null.
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<Option<Usage>>,
}

impl Answer {
    pub(super) fn deliver(self, delivery: Delivery, settings: &Settings) -> Result<Response, ApiError> {
        match delivery {
            Delivery::Whole => self.whole().map_err(|error| ApiError::unwritable(&error)),
            Delivery::Stream(usage) => Ok(pace::respond(Chunks::new(self, usage), settings.delay)),
        }
    }

    fn whole(mut self) -> Result<Response, serde_json::Error> {
        for echo in &mut self.echoes {
            echo.finish();
        }
        let said = self.echoes.iter().enumerate();
        let choices = said.map(|(index, echo)| self.form.whole(index, echo.said(), echo.finish_reason()));
        let choices: Vec<Choice<'_>> = choices.collect();
        let usage = Usage::new(self.prompt_tokens, &self.echoes);
        let id = Id::new(self.form.id_prefix());
        let written = serde_json::to_string(&Written::new(id, self.form.object(), &choices, Some(Some(usage))))?;
        Ok(([(CONTENT_TYPE, "application/json")], written).into_response())
    }
}

impl<'a> Written<'a> {
    pub(super) fn new(
        id: Id,
        object: &'static str,
        choices: &'a [Choice<'a>],
        usage: Option<Option<Usage>>,
    ) -> Written<'a> {
        Written { id, object, created: id.created(), model: MODEL, choices, usage }
    }
}
