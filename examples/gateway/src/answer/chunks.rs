//! An answer in chunks.

use eventwire::{ByteString, Event};

use super::choice::{Choice, Form};
use super::id::Id;
use super::usage::Usage;
use super::{Answer, Payload};
use crate::echo::FinishReason;
use crate::pace::Tokens;
use crate::request::UsageChunk;

/// The data of the event that ends a stream.
const DONE: ByteString = ByteString::from_static("[DONE]");

/// The events of a streamed answer. Each is made on demand.
pub(super) struct Chunks {
    id: Id,
    answer: Answer,
    usage: UsageChunk,
    next: Next,
}

#[derive(Clone, Copy)]
enum Next {
    Start { choice: usize },
    Token { choice: usize },
    CallStart { choice: usize, call: usize },
    Arguments { choice: usize, call: usize },
    End { choice: usize },
    Usage,
    Done,
    Nothing,
}

impl Chunks {
    pub(super) fn new(answer: Answer, usage: UsageChunk) -> Chunks {
        Chunks { id: Id::new(answer.form.id_prefix()), answer, usage, next: Next::Start { choice: 0 } }
    }

    fn head(&self) -> Head {
        Head { id: self.id, form: self.answer.form, usage: self.usage }
    }

    /// Returns what follows the last chunk of a choice.
    fn after(&self, choice: usize) -> Next {
        match self.usage {
            _ if choice + 1 < self.answer.echoes.len() => Next::Start { choice: choice + 1 },
            UsageChunk::Included => Next::Usage,
            UsageChunk::LeftOut => Next::Done,
        }
    }
}

impl Iterator for Chunks {
    type Item = Result<Event, serde_json::Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let (head, form) = (self.head(), self.answer.form);
        loop {
            match self.next {
                Next::Start { choice } => {
                    self.next = Next::Token { choice };
                    if let Some(start) = form.start(choice) {
                        return Some(head.chunk(start));
                    }
                }
                Next::Token { choice } => {
                    let echo = &mut self.answer.echoes[choice];
                    if let Some(token) = echo.next_token() {
                        return Some(head.chunk(form.token(choice, token)));
                    }
                    self.next = match self.answer.finish_reason(choice) {
                        FinishReason::ToolCalls => Next::CallStart { choice, call: 0 },
                        FinishReason::Stop | FinishReason::Length => Next::End { choice },
                    };
                }
                Next::CallStart { choice, call } => {
                    let Some(start) = self.answer.calls.get(call).map(|made| made.start(call)) else {
                        self.next = Next::End { choice };
                        continue;
                    };
                    self.next = Next::Arguments { choice, call };
                    return Some(head.chunk(form.call(choice, start)));
                }
                Next::Arguments { choice, call } => {
                    if let Some(more) = self.answer.calls[call].more(call) {
                        return Some(head.chunk(form.call(choice, more)));
                    }
                    self.next = Next::CallStart { choice, call: call + 1 };
                }
                Next::End { choice } => {
                    self.next = self.after(choice);
                    return Some(head.chunk(form.end(choice, self.answer.finish_reason(choice))));
                }
                Next::Usage => {
                    self.next = Next::Done;
                    return Some(head.usage(Usage::new(self.answer.prompt_tokens, &self.answer.echoes)));
                }
                Next::Done => {
                    self.next = Next::Nothing;
                    return Some(Ok(Event::new(DONE)));
                }
                Next::Nothing => return None,
            }
        }
    }
}

impl Tokens for Chunks {
    fn is_between_tokens(&self) -> bool {
        match self.next {
            Next::Token { choice } => self.answer.echoes[choice].is_between_tokens(),
            _ => false,
        }
    }
}

/// The fields that all chunks of an answer share.
struct Head {
    id: Id,
    form: Form,
    usage: UsageChunk,
}

impl Head {
    fn chunk(&self, choice: Choice<'_>) -> Result<Event, serde_json::Error> {
        // If the usage was requested, it is null in every chunk but the last.
        let usage = (self.usage == UsageChunk::Included).then_some(None);
        self.event(&[choice], usage)
    }

    fn usage(&self, usage: Usage) -> Result<Event, serde_json::Error> {
        self.event(&[], Some(Some(usage)))
    }

    fn event(&self, choices: &[Choice<'_>], usage: Option<Option<Usage>>) -> Result<Event, serde_json::Error> {
        Event::default().with_json(&Payload::new(self.id, self.form.chunk_object(), choices, usage))
    }
}
