//! The talk: an answer of many parts, with text, sound, calls and drawings.

use std::cell::RefCell;
use std::future::poll_fn;
use std::rc::Rc;

use eventwire::multipart::{self, HeadersRef, Part, PartDecoder, Parts};
use eventwire_web::{Body, FetchError, Request};
use futures_channel::mpsc;
use futures_util::future::join;
use js_sys::Uint8Array;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::spawn_local;
use web_sys::{AudioContext, Element, Event, HtmlInputElement};

use crate::ask_form::AskForm;
use crate::change::{Change, TOOLS};
use crate::dom;
use crate::drawing::Drawing;
use crate::failure::Failure;
use crate::message::{self, Message};
use crate::part_kind::PartKind;
use crate::player::{Player, SoundFile};
use crate::sentences::{Sentences, Sound};
use crate::stage::Stage;
use crate::state::State;
use crate::tool_call::{ToolCall, ToolCalls};
use crate::utf8::Utf8;

/// How many sounds may wait to be played. With more, the answer is not read on.
const WAITING_SOUNDS: usize = 32;
/// The most that is read of an error, in bytes.
const LONGEST_ERROR: usize = 16 * 1024;

pub(crate) struct Talk {
    form: Rc<AskForm>,
    sound: HtmlInputElement,
    question: Element,
    answer: Element,
    calls: Element,
    stage: Stage,
    drawing: Drawing,
    player: Player,
    messages: RefCell<Vec<Message>>,
}

/// What has been received of an answer.
struct Heard {
    sentences: Sentences,
    /// The calls, each with its result.
    calls: Vec<(ToolCall, String)>,
}

type Sounds = Option<mpsc::Sender<SoundFile>>;
type Failed = multipart::Error<FetchError>;

impl Talk {
    pub(crate) fn start() -> Result<(), JsValue> {
        let talk = Rc::new(Talk {
            form: AskForm::new("talk")?,
            sound: dom::element("talk-sound")?,
            question: dom::element("talk-question")?,
            answer: dom::element("talk-answer")?,
            calls: dom::element("talk-calls")?,
            stage: Stage::new()?,
            drawing: Drawing::new()?,
            player: Player::default(),
            messages: RefCell::default(),
        });
        let this = Rc::clone(&talk);
        dom::listen(&talk.sound, "change", move |_: Event| {
            if !this.sound.checked() {
                this.player.silence();
            }
        })?;
        let form = Rc::clone(&talk.form);
        form.on_ask(move |question| {
            // Now, because later it is not the answer to a click or a key.
            let context = talk.sound.checked().then(|| talk.player.switch_on().ok()).flatten();
            spawn_local(Rc::clone(&talk).run(question, context));
        })
    }

    /// Reads the answer, and plays its sound at the same time. Both can be stopped, and so can the sound that is left at the end.
    async fn run(self: Rc<Talk>, question: String, context: Option<AudioContext>) {
        let heard = RefCell::new(Heard { sentences: Sentences::new(self.answer.clone()), calls: Vec::new() });
        let (sender, receiver) = mpsc::channel(WAITING_SOUNDS);
        let reading = self.ask(&question, &heard, context.is_some().then_some(sender));
        let playing = async {
            if let Some(context) = &context {
                self.player.play(context, receiver).await;
                heard.borrow().sentences.silence();
            }
        };
        let outcome = self.form.stoppable(join(reading, playing)).await;
        if outcome.is_none() {
            self.stop(&question, &heard);
        }
    }

    /// Asks, and shows the answer.
    async fn ask(&self, question: &str, heard: &RefCell<Heard>, mut sounds: Sounds) {
        self.question.set_text_content(Some(question));
        self.calls.set_text_content(None);
        self.drawing.clear();
        dom::set(&self.answer, "aria-busy", "true");
        State::Waiting.show(&self.answer);
        let mut messages = self.messages.borrow().clone();
        messages.push(Message::User { content: question.to_owned() });
        let outcome = self.read(message::body(&messages, Some(TOOLS)), heard, &mut sounds).await;
        self.end(State::of_outcome(Some(&outcome)), question, heard);
        if let Err(failure) = outcome {
            self.form.fail(&failure);
        }
        self.form.allow_send();
    }

    fn stop(&self, question: &str, heard: &RefCell<Heard>) {
        heard.borrow().sentences.silence();
        // If only the sound was stopped, the answer is whole.
        if self.answer.get_attribute("aria-busy").is_some_and(|busy| busy == "true") {
            self.end(State::Stopped, question, heard);
        }
    }

    /// Remembers the question and what there is of the answer.
    fn end(&self, state: State, question: &str, heard: &RefCell<Heard>) {
        state.show(&self.answer);
        dom::set(&self.answer, "aria-busy", "false");
        let heard = heard.borrow();
        let content = heard.sentences.text();
        if content.is_empty() && heard.calls.is_empty() {
            self.form.give_back(question);
            return;
        }
        let mut messages = self.messages.borrow_mut();
        messages.push(Message::User { content: question.to_owned() });
        let tool_calls = heard.calls.iter().map(|(call, _)| call.clone()).collect();
        messages.push(Message::Assistant { content, tool_calls });
        messages.extend(
            heard
                .calls
                .iter()
                .map(|(call, result)| Message::Tool { tool_call_id: call.id.clone(), content: result.clone() }),
        );
    }

    async fn read(&self, body: String, heard: &RefCell<Heard>, sounds: &mut Sounds) -> Result<(), Failure> {
        let request = Request::post("/talk").with_header("Content-Type", "application/json").with_body(body);
        let response = request.send().await.map_err(|_| Failure::Unreachable)?;
        let (head, body) = response.into_parts();
        if !head.status.is_success() {
            let body = body.bytes(LONGEST_ERROR).await.unwrap_or_default();
            return Err(Failure::refused(head.status.as_u16(), &body));
        }
        let content_type = head.headers.get(http::header::CONTENT_TYPE).map_or(&b""[..], |value| value.as_bytes());
        let decoder = PartDecoder::from_content_type(content_type).map_err(|_| Failure::unreadable())?;
        // This type may end without a close delimiter. This server always writes one, so a missing one means that the answer was cut off.
        let mut parts = Parts::new(body, decoder.require_close());
        while let Some(part) = parts.next().await {
            let part = part.map_err(|error| Failure::of_parts(&error))?;
            self.show(part, heard, sounds).await.map_err(|error| Failure::of_parts(&error))?;
        }
        Ok(())
    }

    /// Shows text as it arrives, and other parts when they are complete. Parts of other types are skipped.
    async fn show(&self, mut part: Part<'_, Body>, heard: &RefCell<Heard>, sounds: &mut Sounds) -> Result<(), Failed> {
        let sentence = sentence(part.headers());
        let kind = PartKind::of(&part);
        match kind {
            PartKind::Other => return Ok(()),
            PartKind::Text => {
                let mut text = Utf8::default();
                while let Some(chunk) = part.chunk().await {
                    self.add(sentence, &text.push(&chunk?), heard);
                }
                self.add(sentence, text.finish(), heard);
                return Ok(());
            }
            PartKind::Sound | PartKind::Calls | PartKind::Drawing(_) => {}
        }
        let body = part.bytes().await?;
        match (kind, sounds) {
            (PartKind::Sound, Some(sounds)) => {
                let sentence = heard.borrow_mut().sentences.element(sentence);
                queue(sentence, &body, sounds).await;
            }
            (PartKind::Calls, _) => self.carry_out(&body, heard),
            // A drawing that cannot be shown is not worth a word.
            (PartKind::Drawing(media_type), _) => drop(self.drawing.show(&body, &media_type)),
            _ => {}
        }
        Ok(())
    }

    fn add(&self, sentence: u64, words: &str, heard: &RefCell<Heard>) {
        if !words.is_empty() {
            State::Streaming.show(&self.answer);
            let _ = heard.borrow_mut().sentences.add(sentence, words);
        }
    }

    /// Carries out the calls of a part, and lists them.
    fn carry_out(&self, json: &[u8], heard: &RefCell<Heard>) {
        let calls = str::from_utf8(json).ok().and_then(|json| serde_json::from_str(json).ok());
        let Some(ToolCalls { tool_calls }) = calls else {
            self.list("the calls of the answer cannot be read", "refused");
            return;
        };
        for call in tool_calls {
            let result = Change::of_call(&call.function).and_then(|change| self.stage.change(&change));
            let result = match result {
                Ok(words) => {
                    self.list(&words, "");
                    "done".to_owned()
                }
                Err(words) => {
                    self.list(&format!("not done: {words}"), "refused");
                    words
                }
            };
            heard.borrow_mut().calls.push((call, result));
        }
    }

    fn list(&self, words: &str, class: &str) {
        if let Ok(item) = dom::append(&self.calls, "li", class) {
            item.set_text_content(Some(words));
        }
    }
}

/// Hands over a sound, as soon as there is room for it.
async fn queue(sentence: Result<Element, JsValue>, file: &[u8], sounds: &mut mpsc::Sender<SoundFile>) {
    let Ok(sentence) = sentence else { return };
    // Out of the program's memory, which never shrinks.
    let sound = SoundFile { sentence: sentence.clone(), bytes: Uint8Array::from(file).buffer() };
    let is_playing = poll_fn(|context| sounds.poll_ready(context)).await.is_ok();
    if is_playing && sounds.start_send(sound).is_ok() {
        Sound::Queued.show(&sentence);
    }
}

/// The sentence to which a part belongs, counted from 1; 0 if the server does not say.
fn sentence(headers: HeadersRef<'_>) -> u64 {
    headers.get("Sentence").and_then(|value| str::from_utf8(value).ok()?.parse().ok()).unwrap_or_default()
}
