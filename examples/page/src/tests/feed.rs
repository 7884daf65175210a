//! `GET /live`.

use std::future;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use eventwire::{Block, BlockItem, EventsExt};
use eventwire_test_support::PATIENCE;
use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use reqwest::{Client, Response};
use serde_json::{Value, json};
use tokio::time::timeout;

use super::asking::{serve_with, settings};
use crate::clock::Clock;
use crate::server::Settings;

const NOW: u64 = 1_700_000_000;

/// A feed with a clock that the test sets, in seconds since 1970.
struct Feed {
    url: String,
    now: Arc<AtomicU64>,
    /// The number of times the clock was read.
    reads: Arc<AtomicU64>,
}

impl Feed {
    async fn new() -> Feed {
        let now = Arc::new(AtomicU64::new(NOW));
        let reads = Arc::new(AtomicU64::new(0));
        let (seconds, count) = (Arc::clone(&now), Arc::clone(&reads));
        let clock = Clock::from_fn(move || {
            let now = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds.load(Ordering::SeqCst));
            count.fetch_add(1, Ordering::SeqCst);
            now
        });
        Feed { url: serve_with(Settings { clock, ..settings() }).await + "live", now, reads }
    }

    fn set(&self, now: u64) {
        self.now.store(now, Ordering::SeqCst);
    }

    /// Waits until the open feed has read the clock.
    async fn look(&self) {
        // The first read may have been before the clock was set.
        let reads = self.reads.load(Ordering::SeqCst) + 2;
        let looked = async {
            while self.reads.load(Ordering::SeqCst) < reads {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        timeout(PATIENCE, looked).await.expect("the clock is read");
    }

    async fn get(&self, last_event_id: Option<&str>) -> Response {
        let mut request = Client::builder().no_proxy().build().unwrap().get(&self.url);
        if let Some(id) = last_event_id {
            request = request.header("Last-Event-ID", id);
        }
        timeout(PATIENCE, request.send()).await.expect("a response").unwrap()
    }

    async fn open(&self, last_event_id: Option<&str>) -> Reader {
        let response = self.get(last_event_id).await;
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        assert_eq!(response.headers()["cache-control"], "no-store");
        let blocks = response.bytes_stream().events().blocks().filter_map(|item| {
            future::ready(match item.unwrap() {
                BlockItem::Block(block) if block.data().is_some() => Some(block),
                _ => None,
            })
        });
        Reader(blocks.boxed())
    }
}

/// The blocks that have data.
struct Reader(BoxStream<'static, Block>);

impl Reader {
    /// Returns the type, the ID if the event sets one, and the data.
    async fn next(&mut self) -> (String, Option<u64>, Value) {
        let block = timeout(PATIENCE, self.0.next()).await.expect("an event").unwrap();
        let id = block.id().map(|id| id.parse().unwrap());
        (block.event_type().unwrap().into(), id, serde_json::from_str(block.data().unwrap()).unwrap())
    }

    /// Checks that the next events are these readings, and returns their values.
    async fn readings(&mut self, numbers: RangeInclusive<u64>) -> Vec<f64> {
        let mut values = Vec::new();
        for n in numbers {
            let (event_type, id, data) = self.next().await;
            assert_eq!((event_type.as_str(), id, &data["n"]), ("reading", Some(n), &json!(n)), "{data}");
            assert_eq!(data.as_object().unwrap().len(), 2, "{data}");
            values.push(data["value"].as_f64().unwrap());
        }
        values
    }
}

#[tokio::test]
async fn the_last_sixty_and_then_one_a_second() {
    let feed = Feed::new().await;
    let mut reader = feed.open(None).await;
    let values = reader.readings(NOW - 59..=NOW).await;
    assert!(values.windows(2).any(|pair| pair[0] != pair[1]), "{values:?}");
    feed.set(NOW + 1);
    reader.readings(NOW + 1..=NOW + 1).await;
    // The clock jumps forward: no event is lost.
    feed.set(NOW + 100);
    reader.readings(NOW + 2..=NOW + 100).await;
    // The clock jumps back: no event is sent twice.
    feed.set(NOW + 50);
    feed.look().await;
    feed.set(NOW + 102);
    reader.readings(NOW + 101..=NOW + 102).await;
}

#[tokio::test]
async fn resumed_without_a_hole() {
    let feed = Feed::new().await;
    let mut reader = feed.open(Some(&(NOW - 2).to_string())).await;
    reader.readings(NOW - 1..=NOW).await;
    // The server stops for a while, and another one continues.
    let other = Feed::new().await;
    other.set(NOW + 3_600);
    let mut reader = other.open(Some(&NOW.to_string())).await;
    reader.readings(NOW + 1..=NOW + 3_600).await;
    // No event was missed, so the feed continues with the next one.
    let mut reader = other.open(Some(&(NOW + 3_600).to_string())).await;
    other.set(NOW + 3_601);
    reader.readings(NOW + 3_601..=NOW + 3_601).await;
}

#[tokio::test]
async fn a_gap_is_announced() {
    let feed = Feed::new().await;
    for missed in [3_601, 10_000, NOW] {
        let seen = NOW - missed;
        let mut reader = feed.open(Some(&seen.to_string())).await;
        let (event_type, id, data) = reader.next().await;
        assert_eq!((event_type.as_str(), id), ("gap", None));
        assert_eq!(data, json!({ "from": seen + 1, "to": NOW - 3_600 }));
        reader.readings(NOW - 3_599..=NOW).await;
    }
    // The same in an open stream, such as on a machine that was suspended.
    let mut reader = feed.open(Some(&NOW.to_string())).await;
    feed.set(NOW + 5_000);
    let (event_type, _, data) = reader.next().await;
    assert_eq!((event_type.as_str(), data), ("gap", json!({ "from": NOW + 1, "to": NOW + 1_400 })));
    reader.readings(NOW + 1_401..=NOW + 5_000).await;
}

#[tokio::test]
async fn an_id_from_another_feed() {
    let feed = Feed::new().await;
    let future = (NOW + 1).to_string();
    let signed = format!("+{NOW}");
    for id in ["", "one", "-1", &signed, "1.5", "18446744073709551616", "18446744073709551615", &future, "é"] {
        feed.open(Some(id)).await.readings(NOW - 59..=NOW).await;
    }
}

#[tokio::test]
async fn it_stops_when_the_client_disconnects() {
    let feed = Feed::new().await;
    let tasks = || tokio::runtime::Handle::current().metrics().num_alive_tasks();
    let before = tasks();
    let mut reader = feed.open(None).await;
    reader.readings(NOW - 59..=NOW).await;
    assert!(tasks() > before, "{before}");
    drop(reader);
    let ended = async {
        while tasks() > before {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    timeout(PATIENCE, ended).await.expect("the connection is closed");
}
