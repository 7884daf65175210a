//! The live feed, which goes on where it stopped.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use eventwire::Event;
use eventwire::client::{Item, ReconnectPolicy, Stopped};
use eventwire_web::{FetchError, Request};
use futures_util::StreamExt;
use futures_util::future::{AbortHandle, abortable};
use serde::Deserialize;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::spawn_local;
use web_sys::{Element, HtmlButtonElement};

use crate::chat::boxed;
use crate::curve::{Curve, rounded};
use crate::dom;
use crate::failure;
use crate::readings::Readings;

/// There is a reading each second. So after this long without one, the connection is dead.
const LONGEST_SILENCE: Duration = Duration::from_secs(10);
const LONGEST_DELAY: Duration = Duration::from_secs(5);

pub(crate) struct Live {
    live: Element,
    status: Element,
    value: Element,
    toggle: HtmlButtonElement,
    curve: Curve,
    readings: RefCell<Readings>,
    /// The ID of the last event, as text.
    last_event_id: RefCell<String>,
    running: RefCell<Option<AbortHandle>>,
}

/// The data of an event of type `reading`.
#[derive(Deserialize)]
struct Reading {
    n: u64,
    value: f64,
}

impl Live {
    pub(crate) fn start() -> Result<(), JsValue> {
        let live = Rc::new(Live {
            live: dom::element("live")?,
            status: dom::element("live-status")?,
            value: dom::element("live-value")?,
            toggle: dom::element("live-toggle")?,
            curve: Curve::new()?,
            readings: RefCell::default(),
            last_event_id: RefCell::default(),
            running: RefCell::default(),
        });
        let this = Rc::clone(&live);
        dom::listen(&live.toggle, "click", move |_: web_sys::Event| {
            let running = this.running.take();
            match running {
                Some(running) => running.abort(),
                None => spawn_local(Rc::clone(&this).run()),
            }
        })?;
        live.toggle.set_disabled(false);
        spawn_local(live.run());
        Ok(())
    }

    /// Follows the feed until it is stopped.
    async fn run(self: Rc<Live>) {
        self.toggle.set_text_content(Some("Stop"));
        let (following, handle) = abortable(self.follow());
        self.running.replace(Some(handle));
        let words = match following.await {
            Err(_) => "Stopped. It goes on from the last reading.".to_owned(),
            Ok(stopped) => {
                self.running.take();
                ended(&stopped)
            }
        };
        self.toggle.set_text_content(Some("Start"));
        self.say("stopped", &words);
    }

    /// Dropping the future drops the connection.
    async fn follow(&self) -> Stopped<FetchError> {
        self.say("connecting", "Connecting.");
        let mut source = Request::get("/live")
            .eventsource()
            .with_policy(ReconnectPolicy::new().with_max_delay(LONGEST_DELAY))
            .with_idle_timeout(LONGEST_SILENCE)
            .with_decisions(boxed(()));
        // It fails for IDs that no stream can set.
        let _ = source.set_last_event_id(&self.last_event_id.borrow());
        while let Some(item) = source.next().await {
            match item {
                Item::Open(_) => self.say("open", "Connected."),
                Item::Event(event) => self.receive(&event),
                Item::Reconnecting { error, delay, .. } => self.say("waiting", &failure::retry(&error, delay)),
                _ => {}
            }
        }
        source.into_stopped()
    }

    fn receive(&self, event: &Event) {
        let mut readings = self.readings.borrow_mut();
        event.id().clone_into(&mut self.last_event_id.borrow_mut());
        match event.event_type() {
            "reading" => {
                let Ok(Reading { n, value }) = serde_json::from_str(event.data()) else { return };
                readings.add(n, value);
                self.value.set_text_content(Some(&rounded(value)));
                self.curve.draw(&readings);
            }
            "gap" => readings.add_gap(),
            _ => return,
        }
        dom::set(&self.live, "data-gaps", &readings.gaps.to_string());
        dom::set(&self.live, "data-count", &readings.count.to_string());
        for (name, id) in [("data-first-id", readings.first_id()), ("data-last-id", readings.last_id())] {
            if let Some(id) = id {
                dom::set(&self.live, name, &id.to_string());
            }
        }
    }

    fn say(&self, state: &str, words: &str) {
        dom::set(&self.live, "data-state", state);
        self.status.set_text_content(Some(words));
    }
}

/// Why the feed has ended although nobody has stopped it.
fn ended(stopped: &Stopped<FetchError>) -> String {
    match stopped.refusal() {
        Some(refusal) => failure::Failure::refused(refusal.status().as_u16(), refusal.body()).words().to_owned(),
        None => "The feed has ended.".into(),
    }
}
