//! The feeds that the pages of an app follow. Each runs until its server ends it, the page
//! stops it, or the page is gone.

use eventwire_reqwest::{Item, RequestEventSource};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::{collections::HashMap, fmt::Display};
use tokio_util::sync::CancellationToken;

/// Becomes `{ "type": "event", "eventType": "message", "data": "hello", "id": "1" }`.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Update {
    Open,
    Event { event_type: String, data: String, id: String },
    Reconnecting { error: String, delay_ms: u128 },
}

/// The running feeds, by the label of the webview and the ID of the channel.
#[derive(Default)]
pub struct Streams(Mutex<HashMap<(String, u32), CancellationToken>>);

impl Streams {
    fn lock(&self) -> MutexGuard<'_, HashMap<(String, u32), CancellationToken>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends what happens to a page. Returns at the end, with an error if there is one.
    pub async fn follow<E: Display>(
        &self,
        page: &str,
        channel: u32,
        source: RequestEventSource,
        send: impl Fn(Update) -> Result<(), E>,
    ) -> Result<(), String> {
        let (key, stop) = ((page.to_owned(), channel), CancellationToken::new());
        if let Some(old) = self.lock().insert(key.clone(), stop.clone()) {
            old.cancel();
        }
        let result = tokio::select! {
            result = forward(source, send) => result,
            () = stop.cancelled() => Ok(()),
        };
        if !stop.is_cancelled() {
            self.lock().remove(&key);
        }
        result
    }

    pub fn stop(&self, page: &str, channel: u32) {
        if let Some(stop) = self.lock().remove(&(page.to_owned(), channel)) {
            stop.cancel();
        }
    }

    pub fn stop_all(&self, page: &str) {
        let mut streams = self.lock();
        let of_page = streams.extract_if(|(label, _), _| label == page);
        of_page.for_each(|(_, stop)| stop.cancel());
    }
}

async fn forward<E: Display>(
    mut source: RequestEventSource,
    send: impl Fn(Update) -> Result<(), E>,
) -> Result<(), String> {
    while let Some(item) = source.next().await {
        let update = match item {
            Item::Open(_) => Update::Open,
            Item::Event(event) => Update::Event {
                event_type: event.event_type().to_owned(),
                id: event.last_event_id().to_owned(),
                data: event.into_data().into(),
            },
            Item::Reconnecting { error, delay, .. } => Update::Reconnecting {
                error: error.to_string(),
                delay_ms: delay.as_millis(),
            },
            _ => continue, // an event that is too large
        };
        send(update).map_err(|error| error.to_string())?;
    }
    source.into_result().map_err(|error| error.to_string())
}
