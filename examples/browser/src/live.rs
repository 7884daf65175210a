//! The live feed, which continues after the last reading.

use std::rc::Rc;
use std::time::Duration;

use eventwire::{Error, Event};
use eventwire_client::{ReconnectPolicy, Stopped};
use eventwire_web::{AbortSignal, FetchError, Request};
use futures_util::StreamExt;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::begin;
use crate::failure::Failure;
use crate::holes::Holes;
use crate::views::{ConnectionView, LiveView};
use crate::watch::Watch;

/// The idle timeout. The server sends a reading each second, so a connection without data for this long is dead.
const LONGEST_SILENCE: Duration = Duration::from_secs(10);
const LONGEST_DELAY: Duration = Duration::from_secs(5);

/// Follows the feed from the reading after this event ID. With `""` it starts at the beginning.
#[wasm_bindgen]
pub fn live(last_event_id: String, view: LiveView, signal: AbortSignal) {
    begin(Box::pin(async move {
        match follow(&last_event_id, &view, &signal).await {
            _ if signal.aborted() => {}
            Err(Error::Transport(stopped)) => view.end(Failure::of_stopped(&stopped).words()),
            Ok(()) | Err(_) => view.end("The feed has ended."),
        }
    }));
}

async fn follow(last_event_id: &str, view: &LiveView, signal: &AbortSignal) -> Result<(), Error<Stopped<FetchError>>> {
    let mut source = Request::get("/live")
        .with_signal(signal.clone())
        .eventsource()
        // By default, `events` gives up after five failed attempts if no connection succeeds. Here the server may
        // be stopped when the user presses Start.
        .with_policy(ReconnectPolicy::new().with_max_delay(LONGEST_DELAY).with_max_first_attempts(u32::MAX))
        .with_idle_timeout(LONGEST_SILENCE)
        .with_decisions(Watch { view: ConnectionView::clone(view), signal: signal.clone(), is_open: Rc::default() });
    // It fails only for IDs that no stream can set.
    let _ = source.set_last_event_id(last_event_id);
    let mut holes = Holes::after(last_event_id);
    let mut events = source.events();
    while let Some(event) = events.next().await {
        receive(&event?, &mut holes, view);
    }
    Ok(())
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
