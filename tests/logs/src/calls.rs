//! Short forms of the calls to a log, for when they must not fail.

use bytes::Bytes;
use eventwire::Encoded;
use eventwire_hub::{Entry, Limit, Log, Page, StreamPosition, Topic, Wake};
use futures_util::{Stream, StreamExt};
use std::{
    pin::Pin,
    time::{Duration, Instant},
};
use tokio::time;

/// How long to wait for what takes a moment. It never takes that long, unless the test fails.
pub const PATIENCE: Duration = Duration::from_secs(30);

pub fn topic(name: &str) -> Topic {
    Topic::new(name).unwrap()
}

pub fn event(text: &str) -> Encoded {
    Encoded::from_bytes(Bytes::from(format!("data: {text}\n\n"))).unwrap()
}

pub async fn append<L: Log>(log: &L, topic: &Topic, event: &Encoded) -> StreamPosition {
    log.append(topic, Entry::Event(event), None).await.unwrap().expect("the topic has not ended")
}

/// Appends, or returns why not, but not after a long time.
///
/// # Errors
///
/// Those of the log.
pub async fn try_append<L: Log>(log: &L, topic: &Topic, text: &str) -> Result<Option<StreamPosition>, L::Error> {
    let event = event(text);
    time::timeout(PATIENCE, log.append(topic, Entry::Event(&event), None)).await.expect("each call ends")
}

/// Appends as soon as the engine is back. Until then, nothing is stored.
pub async fn append_again<L: Log>(log: &L, topic: &Topic, text: &str) -> StreamPosition {
    let started = Instant::now();
    loop {
        match try_append(log, topic, text).await {
            Ok(at) => return at.unwrap(),
            Err(error) => assert!(started.elapsed() < PATIENCE, "{error}"),
        }
        time::sleep(Duration::from_millis(5)).await;
    }
}

/// Waits until something is so.
pub async fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < PATIENCE, "{what}");
        time::sleep(Duration::from_millis(2)).await;
    }
}

pub async fn append_once<L: Log>(log: &L, topic: &Topic, key: &str, event: &Encoded) -> Option<StreamPosition> {
    log.append(topic, Entry::Event(event), Some(key)).await.unwrap()
}

pub async fn append_all<L: Log>(log: &L, topic: &Topic, count: usize) -> Vec<(StreamPosition, Bytes)> {
    let mut appended = Vec::new();
    for number in 1..=count {
        let event = event(&number.to_string());
        appended.push((append(log, topic, &event).await, event.into_bytes()));
    }
    appended
}

pub async fn end<L: Log>(log: &L, topic: &Topic) -> StreamPosition {
    log.append(topic, Entry::End, None).await.unwrap().expect("the end has a position")
}

pub async fn read<L: Log>(log: &L, topic: &Topic, after: Option<StreamPosition>, most: usize) -> Page {
    log.read(topic, after, Limit { entries: most, bytes: usize::MAX }).await.unwrap()
}

pub async fn read_all<L: Log>(log: &L, topic: &Topic) -> Page {
    read(log, topic, None, usize::MAX).await
}

pub async fn watch<L: Log>(log: &L, topic: &Topic) -> Pin<Box<L::Wakes>> {
    Box::pin(log.watch(topic).await.unwrap())
}

/// Waits for a hint.
pub async fn next<W: Stream<Item = Wake>>(wakes: &mut Pin<Box<W>>) -> Wake {
    time::timeout(PATIENCE, wakes.next()).await.expect("there is a hint").expect("hints do not end")
}
