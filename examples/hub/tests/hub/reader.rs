//! A client that reads a stream, and reconnects.

use std::future::ready;
use std::time::Duration;

use eventwire::Event;
use eventwire_reqwest::{Item, ReconnectPolicy, from_fn};
use eventwire_test_support::PATIENCE;
use futures_util::stream::{BoxStream, StreamExt};
use serde_json::Value;
use tokio::time::timeout;

pub(crate) struct Reader {
    seen: BoxStream<'static, Seen>,
    /// How often a connection was opened so far.
    pub(crate) opened: usize,
}

enum Seen {
    Open,
    Event(Event),
    Other,
}

impl Reader {
    /// Opens a stream.
    pub(crate) async fn open(url: String) -> Reader {
        Reader::after(url, "").await
    }

    /// Opens a stream after the event with this ID.
    pub(crate) async fn after(url: String, id: &str) -> Reader {
        Reader::moving(move || url.clone(), id).await
    }

    /// Opens a stream whose URL can be another one when it reconnects, which it does soon.
    pub(crate) async fn moving(url: impl Fn() -> String + Send + 'static, id: &str) -> Reader {
        let client = eventwire_reqwest::client_builder().no_proxy().build().unwrap();
        let soon = ReconnectPolicy::new()
            .with_max_delay(Duration::from_millis(100))
            .with_max_server_delay(Duration::from_millis(20))
            .with_min_delay(Duration::from_millis(10));
        let source = from_fn(move |_| ready(Ok::<_, reqwest::Error>(client.get(url()))));
        let source = source.with_policy(soon).with_last_event_id(id).unwrap();
        let seen = source.map(|item| match item {
            Item::Open(_) => Seen::Open,
            Item::Event(event) => Seen::Event(event),
            _ => Seen::Other,
        });
        let mut reader = Reader { seen: seen.boxed(), opened: 0 };
        while reader.opened == 0 {
            assert!(reader.next().await.expect("an open stream").is_none(), "an event before the stream is open");
        }
        reader
    }

    /// Returns the next event.
    pub(crate) async fn event(&mut self) -> Event {
        loop {
            if let Some(event) = self.next().await.expect("an event, not the end") {
                return event;
            }
        }
    }

    /// Returns what the next event of a topic has.
    pub(crate) async fn data(&mut self) -> Value {
        let event = self.event().await;
        assert_eq!(event.event_type(), "message", "{event:?}");
        let mut data: Value = serde_json::from_str(event.data()).unwrap();
        data["data"].take()
    }

    /// Returns the data of the next event, which is about a gap.
    pub(crate) async fn gap(&mut self) -> String {
        let event = self.event().await;
        assert_eq!(event.event_type(), "gap", "{event:?}");
        event.data().to_owned()
    }

    /// Returns all events up to the end, after which the server has said that there is no more.
    pub(crate) async fn rest(&mut self) -> Vec<Event> {
        let mut events = Vec::new();
        while let Some(seen) = self.next().await {
            events.extend(seen);
        }
        events
    }

    /// Returns what comes next: an event, or nothing of interest. `None` at the end.
    async fn next(&mut self) -> Option<Option<Event>> {
        match timeout(PATIENCE, self.seen.next()).await.expect("something on the stream")? {
            Seen::Open => {
                self.opened += 1;
                Some(None)
            }
            Seen::Event(event) => Some(Some(event)),
            Seen::Other => Some(None),
        }
    }
}
