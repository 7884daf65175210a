//! Logs how a stream of an OpenAI-compatible server ended, its tokens, and its usage.

use eventwire::{BlockItemRef, DecodeError, End, Observe};
use serde_json::Value;

pub struct Count {
    request: String,
    tokens: u64, // events with text; most servers send each token in an event of its own
    usage: String, // without characters that control a terminal
    is_done: bool,
}

impl Count {
    pub fn new(request: String) -> Count {
        Count { request, tokens: 0, usage: "null".to_owned(), is_done: false }
    }
}

impl Observe for Count {
    fn item(&mut self, item: Result<BlockItemRef<'_>, DecodeError>) {
        let Some(event) = item.ok().and_then(|item| item.event()) else { return };
        self.is_done |= event.data() == "[DONE]";
        let chunk: Value = serde_json::from_str(event.data()).unwrap_or_default();
        let chat = chunk.pointer("/choices/0/delta/content");
        let text = chat.or(chunk.pointer("/choices/0/text")).and_then(Value::as_str);
        self.tokens += u64::from(text.is_some_and(|text| !text.is_empty()));
        if chunk["usage"].is_object() {
            let is_control = |char: char| !char.is_ascii_graphic();
            self.usage = chunk["usage"].to_string().replace(is_control, "?");
        }
    }

    fn end(&mut self, end: End) {
        let end = match end {
            _ if self.is_done => "complete",
            End::Complete | End::Truncated => "ended without [DONE]",
            End::Failed => "truncated by the server",
            End::Dropped => "closed by the client",
        };
        let Count { request, tokens, usage, .. } = self;
        eprintln!("{request}: {end}, tokens {tokens}, usage {usage}");
    }
}
