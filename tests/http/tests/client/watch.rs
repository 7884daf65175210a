//! What an event source returns, in the words that the script for Chromium uses too.

use eventwire_client::{Connector, EventSource, Item};
use std::fmt::Debug;

/// Returns the items of the source as texts, to its end.
pub(crate) async fn watch<C: Connector<Error: Debug>, T: eventwire::Timer>(
    source: &mut EventSource<C, T>,
) -> Vec<String> {
    let mut words = Vec::new();
    while let Some(item) = source.next().await {
        words.push(match item {
            Item::Open(_) => "open".to_owned(),
            Item::Event(event) => format!("{}|{}|{}", event.event_type(), event.data(), event.last_event_id()),
            Item::Reconnecting { .. } => "reconnecting".to_owned(),
            Item::Undecodable(error) => error.to_string(),
            other => panic!("an unknown item: {other:?}"),
        });
    }
    assert!(source.stopped().is_some());
    words.push("closed".to_owned());
    words
}
