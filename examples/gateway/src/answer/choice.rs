//! A choice of an answer, whole or in chunks, for either endpoint.

use serde::Serialize;

use crate::echo::FinishReason;

/// The endpoint whose JSON is written.
#[derive(Clone, Copy)]
pub(crate) enum Form {
    Chat,
    Text,
}

/// The unit fields are nulls: this model has no log probabilities.
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
}

#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Delta<'a> {
    Start { role: &'static str, content: &'static str },
    Token { content: &'a str },
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

    pub(super) fn whole(self, index: usize, text: &str, finish_reason: FinishReason) -> Choice<'_> {
        match self {
            Form::Chat => {
                let message = Message { role: ROLE, content: text, refusal: () };
                Choice::Chat { index, message, logprobs: (), finish_reason }
            }
            Form::Text => Choice::Text { index, text, logprobs: (), finish_reason: Some(finish_reason) },
        }
    }

    /// The chunk before the first token. Completions have none.
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

    /// The chunk after the last token.
    pub(super) fn end(self, index: usize, reason: FinishReason) -> Choice<'static> {
        let finish_reason = Some(reason);
        match self {
            Form::Chat => Choice::ChatChunk { index, delta: Delta::End {}, logprobs: (), finish_reason },
            Form::Text => Choice::Text { index, text: "", logprobs: (), finish_reason },
        }
    }
}
