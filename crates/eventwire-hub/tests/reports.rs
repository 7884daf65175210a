//! What a hub writes with `tracing`. This is a program of its own: what other threads write first, when nobody listens,
//! may later be left out.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]
#![allow(dead_code, reason = "the log has more settings than this needs")]

#[path = "hub/items.rs"]
mod items;
#[path = "hub/script.rs"]
mod script;

use bytes::Bytes;
use eventwire_hub::{Hub, Page, Resume, StreamPosition, Topic, Wake};
use items::{one, ready, within};
use script::{Fails, Script};
use std::{
    sync::{Arc, Mutex},
    time::Duration,
};
use tracing::{
    Event, Level, Metadata, Subscriber,
    span::{Attributes, Id, Record},
};

const ALL: Fails = Fails { append: true, read: true, watch: true };

/// What goes wrong is written once, although it goes wrong again and again.
#[tokio::test(start_paused = true)]
async fn a_failure_is_written_once() {
    let levels = Levels::default();
    let _guard = tracing::subscriber::set_default(levels.clone());
    let topic = Topic::new("t").unwrap();
    let log = Script::new();
    log.begin(&topic, 7);
    (1..=5).for_each(|_| _ = log.push(&topic));
    let hub = Hub::new(log.clone());
    let mut live = hub.subscribe(&topic, Resume::Live).await.unwrap();
    let mut reads = hub.subscribe(&topic, Resume::Earliest).await.unwrap();
    assert_eq!(ready(&mut live).await, ["@7-5"]);
    assert_eq!(one(&mut reads).await, "@7-0");
    for round in 1..=2 {
        log.set_fails(ALL);
        log.end_wakes(&topic);
        within(&mut live, Duration::from_secs(600)).await;
        assert_eq!(levels.count(Level::WARN), round);
        assert_eq!(levels.count(Level::INFO), round - 1);
        log.set_fails(Fails::default());
        within(&mut live, Duration::from_secs(10)).await;
        assert_eq!(levels.count(Level::INFO), round, "the log is back");
    }
    // A log that breaks its rules: the follower finds it, and each reader that reads a page. One of them writes it.
    let entry = |sequence| (StreamPosition::new(7, sequence), Bytes::from("data: a\n\n"));
    let mut more = hub.subscribe(&topic, Resume::Earliest).await.unwrap();
    assert_eq!(one(&mut more).await, "@7-0");
    for round in 1..=2 {
        log.answer(move |_, _| Page { entries: vec![entry(9), entry(8)], tail: entry(9).0, finished: false });
        log.wake(&topic, Wake::Changed);
        within(&mut live, Duration::from_secs(600)).await;
        within(&mut reads, Duration::from_secs(600)).await;
        within(&mut more, Duration::from_secs(600)).await;
        assert_eq!(levels.count(Level::ERROR), round);
        log.answer_rightly();
        within(&mut live, Duration::from_secs(10)).await;
        assert_eq!(levels.count(Level::INFO), 2 + round, "the log is back");
    }
    assert_eq!(levels.count(Level::WARN), 2);
}

/// The levels of what this thread has written.
#[derive(Clone, Default)]
pub(crate) struct Levels(Arc<Mutex<Vec<Level>>>);

impl Levels {
    pub(crate) fn count(&self, level: Level) -> usize {
        self.0.lock().unwrap().iter().filter(|written| **written == level).count()
    }
}

impl Subscriber for Levels {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("eventwire_hub")
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        self.0.lock().unwrap().push(*event.metadata().level());
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}
