//! The items of an event source, in words.

use eventwire_client::{Connector, EventSource, Hooks, Item};
use std::io;

/// The URL of the server that `run` has started.
pub(crate) const SERVER: &str = env!("EVENTWIRE_SERVER");

pub(crate) async fn watch<C, T, D>(source: &mut EventSource<C, T, D>) -> Vec<String>
where
    C: Connector<Error: std::fmt::Display>,
    T: eventwire::Timer,
    D: Hooks<C::Error>,
{
    let mut words = Vec::new();
    while let Some(item) = source.next().await {
        words.push(match item {
            Item::Open(head) => head.status().to_string(),
            Item::Event(event) => format!("{} {} {}", event.event_type(), event.data(), event.last_event_id()),
            // A boxed error is not an error itself.
            Item::Reconnecting { error, .. } => {
                error.map_transport(|error| io::Error::other(error.to_string())).to_string()
            }
            _ => "something else".to_owned(),
        });
    }
    words
}
