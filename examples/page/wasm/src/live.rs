//! The live feed, which continues after the last reading.

use std::rc::Rc;
use std::time::Duration;

use eventwire_web::{AbortSignal, Handle, ReconnectPolicy, Request};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::begin;
use crate::failure::Failure;
use crate::views::{ConnectionView, LiveView};
use crate::watch::Watch;

/// The idle timeout. The server sends a reading each second, so a connection without data for this long is dead.
const LONGEST_SILENCE: Duration = Duration::from_secs(10);
const LONGEST_DELAY: Duration = Duration::from_secs(30);

/// The feed that [`live`] follows.
#[wasm_bindgen]
pub struct Feed(Handle);

#[wasm_bindgen]
impl Feed {
    /// Ends the delay before the next attempt.
    pub fn try_now(&self) {
        self.0.reconnect_now();
    }
}

/// Follows the feed from the reading after this event ID. With `""` it starts at the beginning.
#[wasm_bindgen]
#[must_use]
pub fn live(last_event_id: String, view: LiveView, signal: AbortSignal) -> Feed {
    let mut source = Request::get("/live")
        .with_signal(signal.clone())
        .eventsource()
        // By default, `events` gives up after five failed attempts if no connection succeeds. Here the server may
        // be stopped when the user presses Start.
        .with_policy(ReconnectPolicy::new().with_max_delay(LONGEST_DELAY).with_max_first_attempts(u32::MAX))
        .with_idle_timeout(LONGEST_SILENCE)
        .with_hooks(Watch { view: ConnectionView::clone(&view), signal: signal.clone(), is_open: Rc::default() });
    // It fails only for IDs that no stream can set.
    let _ = source.set_last_event_id(&last_event_id);
    let feed = Feed(source.handle());
    let mut events = source.events();
    begin(Box::pin(async move {
        let failure = loop {
            match events.next().await {
                // A `gap` needs no view: the page compares the numbers of the readings.
                Some(Ok(event)) if event.event_type() == "reading" => view.reading(event.last_event_id(), event.data()),
                Some(Ok(_)) => {}
                Some(Err(error)) => break Failure::feed(&error),
                None => break Failure::default(),
            }
        };
        if !signal.aborted() {
            view.end(&failure.words);
        }
    }));
    feed
}
