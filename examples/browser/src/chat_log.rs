//! The messages of the chat.

use wasm_bindgen::JsValue;
use web_sys::{Element, Text};

use crate::dom;
use crate::state::State;

/// The list of messages.
pub(crate) struct ChatLog(Element);

/// The answer that is being written.
pub(crate) struct Answer {
    log: Element,
    message: Element,
    text: Text,
}

impl ChatLog {
    pub(crate) fn new() -> Result<ChatLog, JsValue> {
        Ok(ChatLog(dom::element("chat-log")?))
    }

    /// Adds a question, and an answer that has no text yet.
    pub(crate) fn ask(&self, question: &str) -> Result<Answer, JsValue> {
        // A screen reader waits for the whole answer.
        dom::set(&self.0, "aria-busy", "true");
        self.add("user", "You: ", question)?;
        let (message, text) = self.add("assistant", "Answer: ", "")?;
        State::Waiting.show(&message);
        let answer = Answer { log: self.0.clone(), message, text };
        self.0.set_scroll_top(self.0.scroll_height());
        Ok(answer)
    }

    fn add(&self, role: &str, label: &str, words: &str) -> Result<(Element, Text), JsValue> {
        let message = dom::append(&self.0, "div", "message")?;
        dom::set(&message, "data-role", role);
        dom::append(&message, "span", "hidden")?.set_text_content(Some(label));
        let text = dom::document()?.create_text_node(words);
        dom::append(&message, "div", "text")?.append_child(&text)?;
        Ok((message, text))
    }
}

impl Answer {
    /// Adds words. The end of the log stays in view, unless the reader has scrolled away from it.
    pub(crate) fn add(&self, words: &str) {
        self.keep_end_in_view(|| {
            if self.text.length() == 0 && !words.is_empty() {
                State::Streaming.show(&self.message);
            }
            // It fails only for lengths that no text has.
            let _ = self.text.append_data(words);
        });
    }

    fn keep_end_in_view(&self, change: impl FnOnce()) {
        let is_at_end = self.log.scroll_height() - self.log.scroll_top() - self.log.client_height() < 48;
        change();
        if is_at_end {
            self.log.set_scroll_top(self.log.scroll_height());
        }
    }

    pub(crate) fn text(&self) -> String {
        self.text.data()
    }

    pub(crate) fn end(&self, state: State) {
        state.show(&self.message);
        self.keep_end_in_view(|| {
            if let Some(note) = state.note()
                && let Ok(element) = dom::append(&self.message, "p", "note")
            {
                element.set_text_content(Some(note));
            }
        });
        dom::set(&self.log, "aria-busy", "false");
    }
}
