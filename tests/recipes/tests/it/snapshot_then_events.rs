use crate::{patiently, serve_routes};
use eventwire_hub::{Channel, History, StreamPosition};
use eventwire_recipes::snapshot_then_events::{Prices, app};
use eventwire_reqwest::{Event, RequestBuilderExt};
use futures_util::{Stream, StreamExt};
use std::{
    collections::BTreeMap,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

async fn start(history: History) -> (String, Prices) {
    let prices = Prices::new(Channel::new(history));
    (serve_routes(app(prices.clone())).await, prices)
}

/// Does what the page does.
struct Page {
    url: String,
    position: String,
    prices: BTreeMap<String, u64>,
    changes: Option<Pin<Box<dyn Stream<Item = Event> + Send>>>,
    loads: u32,
}

impl Page {
    async fn load(url: &str) -> Page {
        let changes = None;
        let mut page =
            Page { url: url.to_owned(), position: String::new(), prices: BTreeMap::new(), changes, loads: 0 };
        page.load_again().await;
        page
    }

    async fn load_again(&mut self) {
        let snapshot = reqwest::get(format!("{}/snapshot", self.url)).await.unwrap();
        let mut snapshot: serde_json::Value = snapshot.json().await.unwrap();
        self.position = snapshot["position"].as_str().unwrap().to_owned();
        self.prices = serde_json::from_value(snapshot["prices"].take()).unwrap();
        self.changes = None;
        self.loads += 1;
    }

    fn subscribe(&mut self) {
        let url = format!("{}/changes?last_event_id={}", self.url, self.position);
        let source = reqwest::Client::new().get(url).eventsource().unwrap();
        self.changes = Some(source.events().map(|event| event.unwrap()).boxed());
    }

    /// Reads one event.
    async fn step(&mut self) {
        if self.changes.is_none() {
            self.subscribe();
        }
        let event = patiently(self.changes.as_mut().unwrap().next()).await.unwrap();
        match event.event_type() {
            "message" => self.prices.extend(serde_json::from_str::<BTreeMap<String, u64>>(event.data()).unwrap()),
            "gap" => self.load_again().await,
            other => panic!("{other}"),
        }
    }
}

#[tokio::test]
async fn changes_between_the_snapshot_and_the_subscription_arrive() {
    let (url, prices) = start(History::new()).await;
    prices.set("tea", 250).unwrap();
    let mut page = Page::load(&url).await;
    assert_eq!(page.prices, BTreeMap::from([("tea".to_owned(), 250)]));
    prices.set("tea", 260).unwrap();
    page.subscribe();
    prices.set("coffee", 320).unwrap();
    page.step().await;
    assert_eq!(page.prices, BTreeMap::from([("tea".to_owned(), 260)]));
    page.step().await;
    assert_eq!(page.prices, BTreeMap::from([("coffee".to_owned(), 320), ("tea".to_owned(), 260)]));
}

#[tokio::test]
async fn after_a_gap_the_page_loads_the_snapshot_again() {
    let (url, prices) = start(History::new().with_max_events(2)).await;
    let mut page = Page::load(&url).await;
    prices.set("coffee", 320).unwrap();
    for cents in [250, 260] {
        prices.set("tea", cents).unwrap();
    }
    page.step().await;
    assert_eq!(page.loads, 2);
    assert_eq!(page.prices, BTreeMap::from([("coffee".to_owned(), 320), ("tea".to_owned(), 260)]));
    // Its new position is after the gap.
    prices.set("tea", 270).unwrap();
    page.step().await;
    assert_eq!((page.loads, page.prices["tea"]), (2, 270));
}

/// What comes after the position is sent, so nothing may be missing before it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_snapshot_has_every_change_up_to_its_position() {
    let (url, prices) = start(History::new()).await;
    let is_done = Arc::new(AtomicBool::new(false));
    let writers = ["coffee", "milk", "tea"].map(|name| {
        let (prices, is_done) = (prices.clone(), Arc::clone(&is_done));
        thread::spawn(move || {
            // A price is the number of its changes.
            for cents in (1..).take_while(|_| !is_done.load(Ordering::Relaxed)) {
                prices.set(name, cents).unwrap();
            }
        })
    });
    for _ in 0..1000 {
        let page = Page::load(&url).await;
        let position: StreamPosition = page.position.parse().unwrap();
        assert!(page.prices.values().sum::<u64>() >= position.sequence(), "{:?} {position}", page.prices);
    }
    is_done.store(true, Ordering::Relaxed);
    for writer in writers {
        writer.join().unwrap();
    }
}

#[tokio::test]
async fn the_page_asks_for_what_the_server_has() {
    let (url, prices) = start(History::new()).await;
    let page = reqwest::get(&url).await.unwrap();
    assert_eq!(page.headers()["content-type"], "text/html; charset=utf-8");
    let page = page.text().await.unwrap();
    assert!(page.contains("fetch(\"/snapshot\")"));
    assert!(page.contains("new EventSource(\"/changes?last_event_id=\" + position)"));
    // Its IDs need no escapes in a URL.
    prices.set("tea", 250).unwrap();
    let position = Page::load(&url).await.position;
    assert!(position.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-'), "{position}");
}
