//! A choice of an answer, complete or in chunks, for either endpoint.

use serde::Serialize;

use super::call::{Call, CallDelta};
use crate::echo::FinishReason;

/// The endpoint whose JSON is written.
#[derive(Clone, Copy)]
pub(crate) enum Form {
    Chat,
    Text,
}

/// The fields of type `()` are nulls, because this model has no log probabilities.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Choice<'a> {
    Chat { index: usize, message: Message<'a>, logprobs: (), finish_reason: FinishReason },
    ChatChunk { index: usize, delta: Delta<'a>, logprobs: (), finish_reason: Option<FinishReason> },
    Text { index: usize, text: &'a str, logprobs: (), finish_reason: Option<FinishReason> },
}

#[derive(Serialize)]
pub(super) struct Message<'a> {
    role: &'static str,
    content: &'a str,
    refusal: (),
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<CallDelta<'a>>,
}

#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Delta<'a> {
    Start { role: &'static str, content: &'static str },
    Token { content: &'a str },
    Call { tool_calls: [CallDelta<'a>; 1] },
    End {},
}

const ROLE: &str = "assistant";

impl Form {
    pub(super) fn id_prefix(self) -> &'static str {
        match self {
            Form::Chat => "chatcmpl",
            Form::Text => "cmpl",
        }
    }

    pub(super) fn object(self) -> &'static str {
        match self {
            Form::Chat => "chat.completion",
            Form::Text => "text_completion",
        }
    }

    pub(super) fn chunk_object(self) -> &'static str {
        match self {
            Form::Chat => "chat.completion.chunk",
            Form::Text => "text_completion",
        }
    }

    pub(super) fn whole<'a>(
        self,
        index: usize,
        text: &'a str,
        calls: &'a [Call],
        finish_reason: FinishReason,
    ) -> Choice<'a> {
        match self {
            Form::Chat => {
                let tool_calls = calls.iter().map(Call::whole).collect();
                let message = Message { role: ROLE, content: text, refusal: (), tool_calls };
                Choice::Chat { index, message, logprobs: (), finish_reason }
            }
            Form::Text => Choice::Text { index, text, logprobs: (), finish_reason: Some(finish_reason) },
        }
    }

    /// Returns the chunk before the first token. Completions have none.
    pub(super) fn start(self, index: usize) -> Option<Choice<'static>> {
        match self {
            Form::Chat => {
                let delta = Delta::Start { role: ROLE, content: "" };
                Some(Choice::ChatChunk { index, delta, logprobs: (), finish_reason: None })
            }
            Form::Text => None,
        }
    }

    pub(super) fn token(self, index: usize, token: &str) -> Choice<'_> {
        match self {
            Form::Chat => {
                let delta = Delta::Token { content: token };
                Choice::ChatChunk { index, delta, logprobs: (), finish_reason: None }
            }
            Form::Text => Choice::Text { index, text: token, logprobs: (), finish_reason: None },
        }
    }

    /// Returns a chunk of a call. Only chats have calls.
    pub(super) fn call(self, index: usize, call: CallDelta<'_>) -> Choice<'_> {
        Choice::ChatChunk { index, delta: Delta::Call { tool_calls: [call] }, logprobs: (), finish_reason: None }
    }

    /// Returns the chunk after the last token.
    pub(super) fn end(self, index: usize, reason: FinishReason) -> Choice<'static> {
        let finish_reason = Some(reason);
        match self {
            Form::Chat => Choice::ChatChunk { index, delta: Delta::End {}, logprobs: (), finish_reason },
            Form::Text => Choice::Text { index, text: "", logprobs: (), finish_reason },
        }
    }
}
