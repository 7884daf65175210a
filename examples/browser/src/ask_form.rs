//! A form with which one asks.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use futures_util::future::{AbortHandle, abortable};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, Event, HtmlButtonElement, HtmlFormElement, HtmlTextAreaElement, KeyboardEvent};

use crate::dom;
use crate::failure::Failure;

/// The text, the buttons to send and to stop, and the line that says what went wrong.
pub(crate) struct AskForm {
    name: &'static str,
    form: HtmlFormElement,
    input: HtmlTextAreaElement,
    send: HtmlButtonElement,
    stop: HtmlButtonElement,
    status: Element,
    running: RefCell<Option<AbortHandle>>,
    /// How often something was asked. A task that has been replaced by another leaves the buttons alone.
    turn: Cell<u32>,
}

impl AskForm {
    /// The form whose elements have IDs with this beginning.
    pub(crate) fn new(name: &'static str) -> Result<Rc<AskForm>, JsValue> {
        Ok(Rc::new(AskForm {
            name,
            form: dom::element(&format!("{name}-form"))?,
            input: dom::element(&format!("{name}-input"))?,
            send: dom::element(&format!("{name}-send"))?,
            stop: dom::element(&format!("{name}-stop"))?,
            status: dom::element(&format!("{name}-status"))?,
            running: RefCell::default(),
            turn: Cell::default(),
        }))
    }

    /// Enables the form. `ask` is called with each question.
    pub(crate) fn on_ask(self: &Rc<AskForm>, ask: impl Fn(String) + 'static) -> Result<(), JsValue> {
        let this = Rc::clone(self);
        dom::listen(&self.form, "submit", move |event: Event| {
            event.prevent_default();
            if let Some(text) = this.take_text() {
                ask(text);
            }
        })?;
        let this = Rc::clone(self);
        dom::listen(&self.input, "keydown", move |event: KeyboardEvent| {
            // While a character is being composed, Enter completes it.
            if event.key() == "Enter" && !event.shift_key() && !event.is_composing() {
                event.prevent_default();
                this.submit();
            }
        })?;
        let this = Rc::clone(self);
        dom::listen(&self.stop, "click", move |_: Event| this.abort())?;
        self.enable_examples()?;
        self.send.set_disabled(false);
        Ok(())
    }

    /// Each example fills the form, and sends it.
    fn enable_examples(self: &Rc<AskForm>) -> Result<(), JsValue> {
        let examples = dom::document()?.query_selector_all(&format!("[data-for={}]", self.name))?;
        for example in (0..examples.length()).filter_map(|index| examples.get(index)) {
            let Ok(example) = example.dyn_into::<HtmlButtonElement>() else { continue };
            let this = Rc::clone(self);
            let text = example.text_content().unwrap_or_default();
            dom::listen(&example, "click", move |_: Event| {
                this.input.set_value(&text);
                this.submit();
            })?;
            example.set_disabled(false);
        }
        Ok(())
    }

    fn submit(&self) {
        // It fails if the form is no longer on the page.
        let _ = self.form.request_submit();
    }

    /// The text, unless there is none or an answer is still coming.
    fn take_text(&self) -> Option<String> {
        let text = self.input.value();
        if self.send.disabled() || text.trim().is_empty() {
            return None;
        }
        self.input.set_value("");
        Some(text.trim().to_owned())
    }

    /// Gives the text back, so that it can be sent again.
    pub(crate) fn give_back(&self, text: &str) {
        if self.input.value().is_empty() {
            self.input.set_value(text);
        }
    }

    /// Says why there is no answer.
    pub(crate) fn fail(&self, failure: &Failure) {
        let is_offline = dom::window().is_ok_and(|window| !window.navigator().on_line());
        match failure {
            Failure::Unreachable if is_offline => self.say("This device is offline. Nothing was asked."),
            failure => self.say(failure.words()),
        }
    }

    /// Says what is going on. `""`: all is well.
    pub(crate) fn say(&self, words: &str) {
        self.status.set_text_content(Some(words));
    }

    /// Runs this until it is complete, or until it is stopped: that is `None`. What still runs is stopped first.
    pub(crate) async fn stoppable<F: Future>(&self, future: F) -> Option<F::Output> {
        let (future, handle) = abortable(future);
        if let Some(replaced) = self.running.replace(Some(handle)) {
            replaced.abort();
        }
        let turn = self.turn.get().wrapping_add(1);
        self.turn.set(turn);
        self.say("");
        self.stop.set_disabled(false);
        // A disabled button loses the focus.
        if self.has_focus(&self.send) {
            let _ = self.stop.focus();
        }
        self.send.set_disabled(true);
        let output = future.await.ok();
        if self.turn.get() == turn {
            self.allow_send();
            if self.has_focus(&self.stop) {
                let _ = self.input.focus();
            }
            self.stop.set_disabled(true);
        }
        output
    }

    /// The answer is complete, even if something still goes on that can be stopped.
    pub(crate) fn allow_send(&self) {
        self.send.set_disabled(false);
    }

    fn abort(&self) {
        if let Some(running) = self.running.take() {
            running.abort();
        }
    }

    fn has_focus(&self, element: &Element) -> bool {
        dom::document().is_ok_and(|document| document.active_element().is_some_and(|focused| focused == *element))
    }
}
