//! The text of a talk, sentence by sentence.

use wasm_bindgen::JsValue;
use web_sys::{Element, Text};

use crate::dom;

/// The sentences of one answer.
pub(crate) struct Sentences {
    answer: Element,
    list: Vec<Sentence>,
}

struct Sentence {
    number: u64,
    element: Element,
    text: Text,
}

/// How far the sound of a sentence has come.
#[derive(Clone, Copy)]
pub(crate) enum Sound {
    None,
    Queued,
    Playing,
    Played,
    Failed,
}

impl Sound {
    pub(crate) fn show(self, sentence: &Element) {
        let name = match self {
            Sound::None => "none",
            Sound::Queued => "queued",
            Sound::Playing => "playing",
            Sound::Played => "played",
            Sound::Failed => "failed",
        };
        dom::set(sentence, "data-sound", name);
    }
}

impl Sentences {
    /// None yet. Those of the last answer are removed.
    pub(crate) fn new(answer: Element) -> Sentences {
        answer.set_text_content(None);
        Sentences { answer, list: Vec::new() }
    }

    /// Adds words to a sentence, which may be a new one.
    pub(crate) fn add(&mut self, number: u64, words: &str) -> Result<(), JsValue> {
        // It fails only for lengths that no text has.
        self.sentence(number)?.text.append_data(words)
    }

    /// The element of a sentence.
    pub(crate) fn element(&mut self, number: u64) -> Result<Element, JsValue> {
        Ok(self.sentence(number)?.element.clone())
    }

    fn sentence(&mut self, number: u64) -> Result<&Sentence, JsValue> {
        let place = match self.list.iter().rposition(|sentence| sentence.number == number) {
            Some(place) => place,
            None => {
                self.begin(number)?;
                self.list.len() - 1
            }
        };
        self.list.get(place).ok_or(JsValue::UNDEFINED)
    }

    fn begin(&mut self, number: u64) -> Result<(), JsValue> {
        let element = dom::append(&self.answer, "span", "sentence")?;
        dom::set(&element, "data-sentence", &number.to_string());
        Sound::None.show(&element);
        let text = dom::document()?.create_text_node("");
        element.append_child(&text)?;
        self.list.push(Sentence { number, element, text });
        Ok(())
    }

    /// What has not been played will not be.
    pub(crate) fn silence(&self) {
        for sentence in &self.list {
            let sound = sentence.element.get_attribute("data-sound");
            if matches!(sound.as_deref(), Some("queued" | "playing")) {
                Sound::None.show(&sentence.element);
            }
        }
    }

    pub(crate) fn text(&self) -> String {
        self.list.iter().map(|sentence| sentence.text.data()).collect()
    }
}
