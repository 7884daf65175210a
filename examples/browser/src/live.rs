//! The live feed, which goes on where it stopped.

use std::time::Duration;

use eventwire::Event;
use eventwire::client::{Item, ReconnectPolicy, Stopped};
use eventwire_web::{FetchError, Request};
use futures_util::StreamExt;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::failure::{self, Failure};
use crate::holes::Holes;
use crate::task::Task;
use crate::views::LiveView;
use crate::watch::Watch;

/// There is a reading each second. So after this long without one, the connection is dead.
const LONGEST_SILENCE: Duration = Duration::from_secs(10);
const LONGEST_DELAY: Duration = Duration::from_secs(5);

/// Follows the feed from the reading after this event ID; `""`: from the beginning.
#[wasm_bindgen]
pub fn live(last_event_id: String, view: LiveView) -> Task {
    Task::begin(Box::pin(async move {
        let stopped = follow(&last_event_id, &view).await;
        match stopped.refusal() {
            Some(refusal) => view.end(Failure::of_refusal(refusal).words()),
            None => view.end("The feed has ended."),
        }
    }))
}

async fn follow(last_event_id: &str, view: &LiveView) -> Stopped<FetchError> {
    let mut source = Request::get("/live")
        .eventsource()
        .with_policy(ReconnectPolicy::new().with_max_delay(LONGEST_DELAY))
        .with_idle_timeout(LONGEST_SILENCE)
        .with_decisions(Watch::default());
    // It fails for IDs that no stream can set.
    let _ = source.set_last_event_id(last_event_id);
    let mut holes = Holes::after(last_event_id);
    while let Some(item) = source.next().await {
        match item {
            Item::Open(_) => view.connection("open", "Connected."),
            Item::Event(event) => receive(&event, &mut holes, view),
            Item::Reconnecting { error, delay, .. } => view.connection("waiting", &failure::retry(&error, delay)),
            _ => {}
        }
    }
    source.into_stopped()
}

fn receive(event: &Event, holes: &mut Holes, view: &LiveView) {
    match event.event_type() {
        "reading" => {
            if holes.is_before(event.id()) {
                view.gap();
            }
            view.reading(event.id(), event.data());
        }
        "gap" if holes.announce() => view.gap(),
        _ => {}
    }
}
