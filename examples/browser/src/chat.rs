//! The chat: an answer as an event stream of JSON.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use eventwire::client::{ConnectionError, Decide, ReconnectPolicy, ResponseHead, Verdict};
use eventwire_web::{FetchError, Request};
use futures_util::StreamExt;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::spawn_local;

use crate::ask_form::AskForm;
use crate::chat_log::{Answer, ChatLog};
use crate::chunk::Chunk;
use crate::failure::{self, Failure};
use crate::message::{self, Message};
use crate::state::State;

/// A server that asks for more patience than this is not waited for.
const LONGEST_WAIT: Duration = Duration::from_secs(60);
/// How long the model may think.
const LONGEST_SILENCE: Duration = Duration::from_secs(120);

pub(crate) struct Chat {
    form: Rc<AskForm>,
    log: ChatLog,
    messages: RefCell<Vec<Message>>,
}

impl Chat {
    pub(crate) fn start() -> Result<(), JsValue> {
        let chat = Chat { form: AskForm::new("chat")?, log: ChatLog::new()?, messages: RefCell::default() };
        let form = Rc::clone(&chat.form);
        let chat = Rc::new(chat);
        form.on_ask(move |question| spawn_local(Rc::clone(&chat).ask(question)))
    }

    async fn ask(self: Rc<Chat>, question: String) {
        let Ok(answer) = self.log.ask(&question) else { return };
        self.messages.borrow_mut().push(Message::User { content: question.clone() });
        let body = message::body(&self.messages.borrow(), None);
        let outcome = self.form.stoppable(self.read(body, &answer)).await;
        answer.end(State::of_outcome(outcome.as_ref()));
        let text = answer.text();
        if text.is_empty() {
            // As if it had not been asked.
            self.messages.borrow_mut().pop();
            self.form.give_back(&question);
        } else {
            self.messages.borrow_mut().push(Message::Assistant { content: text, tool_calls: Vec::new() });
        }
        match outcome {
            Some(Err(failure)) => self.form.fail(&failure),
            Some(Ok(())) | None => self.form.say(""),
        }
    }

    /// Asks, and shows the answer. Dropping the future aborts the request.
    async fn read(&self, body: String, answer: &Answer) -> Result<(), Failure> {
        let is_open = Rc::new(Cell::new(false));
        let policy = ReconnectPolicy::new().with_max_attempts(5).with_reconnection_time(Duration::from_millis(500));
        // A POST is sent again only if the server certainly has not carried it out.
        let mut chunks = Request::post("/chat")
            .with_header("Content-Type", "application/json")
            .with_body(body)
            .eventsource()
            .with_policy(policy)
            .with_idle_timeout(LONGEST_SILENCE)
            .with_decisions(boxed(Watch { form: Rc::clone(&self.form), is_open: Rc::clone(&is_open) }))
            .events()
            .json::<Chunk>()
            .require_end_marker();
        while let Some(chunk) = chunks.next().await {
            let chunk = chunk.map_err(|error| Failure::of_chat(error, is_open.get()))?;
            chunk.text().for_each(|words| answer.add(words));
        }
        Ok(())
    }
}

/// In a box, so that the program has the client once for all its streams.
pub(crate) fn boxed(decisions: impl Decide<FetchError> + 'static) -> Box<dyn Decide<FetchError>> {
    Box::new(decisions)
}

/// Says what the client does while there is no answer.
struct Watch {
    form: Rc<AskForm>,
    is_open: Rc<Cell<bool>>,
}

impl Decide<FetchError> for Watch {
    fn verdict(&mut self, head: &ResponseHead<'_>) -> Verdict {
        let verdict = match Verdict::default_for(head) {
            Verdict::Retry if head.retry_after().is_some_and(|delay| delay > LONGEST_WAIT) => Verdict::Fail,
            verdict => verdict,
        };
        if verdict == Verdict::Open {
            self.is_open.set(true);
            self.form.say("");
        }
        verdict
    }

    fn delay(&mut self, delay: Duration, _: u32, error: &ConnectionError<FetchError>) -> Duration {
        self.form.say(&failure::retry(error, delay));
        delay
    }
}
