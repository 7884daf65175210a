use crate::{patiently, stall};
use axum::http::HeaderMap;
use eventwire::{Block, BlockItem, Comment, Events};
use eventwire_recipes::axum_server::{Feed, serve};
use futures_util::{Stream, StreamExt};
use serde::{Serialize, Serializer};
use std::{cell::Cell, io, pin::Pin, time::Duration};
use tokio::{net::TcpListener, task::JoinHandle};
use tokio_util::sync::CancellationToken;

/// As many events as the recipe keeps.
const KEPT: u32 = 6000;

struct Server {
    url: String,
    feed: Feed,
    shutdown: CancellationToken,
    task: JoinHandle<io::Result<()>>,
}

async fn start() -> Server {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/events", listener.local_addr().unwrap());
    let shutdown = CancellationToken::new();
    let feed = Feed::new(shutdown.clone());
    let task = tokio::spawn(serve(listener, feed.clone()));
    Server { url, feed, shutdown, task }
}

type Items = Pin<Box<dyn Stream<Item = BlockItem>>>;

impl Server {
    async fn connect(&self, last_event_id: Option<&str>) -> (HeaderMap, Items) {
        let mut request = reqwest::Client::new().get(&self.url);
        if let Some(id) = last_event_id {
            request = request.header("Last-Event-ID", id);
        }
        let response = request.send().await.unwrap().error_for_status().unwrap();
        let headers = response.headers().clone();
        (headers, Events::new(response.bytes_stream()).blocks().map(|item| item.unwrap()).boxed_local())
    }

    fn publish(&self, values: impl IntoIterator<Item = u32>) {
        for value in values {
            self.feed.publish(&value).unwrap();
        }
    }
}

/// Returns the next block, before which there is no comment.
async fn next(items: &mut Items) -> Option<Block> {
    match patiently(items.next()).await? {
        BlockItem::Block(block) => Some(block),
        other => panic!("{other:?}"),
    }
}

/// Returns the ID that a reader gets before it gets any event.
async fn position(items: &mut Items) -> String {
    let block = next(items).await.unwrap();
    let time = Some(Duration::from_secs(3));
    assert_eq!((block.event_type(), block.data(), block.retry()), (None, None, time));
    block.id().unwrap().to_owned()
}

/// Returns the ID of the event that says how many events are missing.
async fn gap(items: &mut Items, missed: u32) -> String {
    let block = next(items).await.unwrap();
    let data = format!("{{\"missed\":{missed}}}");
    assert_eq!((block.event_type(), block.data()), (Some("gap"), Some(&*data)));
    block.id().unwrap().to_owned()
}

/// Returns the ID and the data of the next `count` events.
async fn take(items: &mut Items, count: usize) -> Vec<(String, String)> {
    let mut events = Vec::new();
    while events.len() < count {
        events.push(message(&next(items).await.expect("more events")));
    }
    events
}

fn message(block: &Block) -> (String, String) {
    assert_eq!(block.event_type(), None);
    (block.id().unwrap().to_owned(), block.data().unwrap().to_owned())
}

fn data(events: &[(String, String)]) -> Vec<u32> {
    events.iter().map(|(_, data)| data.parse().unwrap()).collect()
}

/// Counts how often it is encoded.
struct Counted<'a>(&'a Cell<u32>);

impl Serialize for Counted<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.set(self.0.get() + 1);
        serializer.collect_seq(["two\nlines"])
    }
}

#[tokio::test]
async fn readers_get_the_same_events_and_each_is_encoded_once() {
    let server = start().await;
    let (headers, mut first) = server.connect(None).await;
    let (_, mut second) = server.connect(None).await;
    assert_eq!(headers["content-type"], "text/event-stream");
    assert_eq!(position(&mut first).await, position(&mut second).await);
    server.publish([1, 2]);
    let encoded = Cell::new(0);
    server.feed.publish(&Counted(&encoded)).unwrap();
    let events = take(&mut first, 3).await;
    assert_eq!(take(&mut second, 3).await, events);
    assert_eq!(events.iter().map(|(_, data)| data.as_str()).collect::<Vec<_>>(), ["1", "2", r#"["two\nlines"]"#]);
    assert_eq!(encoded.get(), 1);
}

#[tokio::test]
async fn a_reader_that_returns_gets_what_it_missed() {
    let server = start().await;
    let (_, mut reader) = server.connect(None).await;
    position(&mut reader).await;
    server.publish([1, 2, 3]);
    let events = take(&mut reader, 2).await;
    drop(reader);
    server.publish([4]);
    let (_, mut reader) = server.connect(Some(&events[1].0)).await;
    assert_eq!(position(&mut reader).await, events[1].0);
    server.publish([5]);
    assert_eq!(data(&take(&mut reader, 3).await), [3, 4, 5]);
    // A new reader begins with the next event.
    let (_, mut reader) = server.connect(None).await;
    position(&mut reader).await;
    server.publish([6]);
    assert_eq!(data(&take(&mut reader, 1).await), [6]);
}

#[tokio::test]
async fn a_page_can_name_the_event_after_which_it_begins() {
    let mut server = start().await;
    let first = server.feed.publish(&1).unwrap();
    server.publish([2]);
    server.url += &format!("?room=7&last_event_id={first}");
    let (_, mut reader) = server.connect(None).await;
    assert_eq!(position(&mut reader).await, first.to_string());
    let events = take(&mut reader, 1).await;
    assert_eq!(data(&events), [2]);
    // When it reconnects, the URL is the same, and the header says more.
    server.publish([3]);
    let (_, mut reader) = server.connect(Some(&events[0].0)).await;
    position(&mut reader).await;
    assert_eq!(data(&take(&mut reader, 1).await), [3]);
}

#[tokio::test]
async fn a_reader_that_was_away_for_too_long_is_told_once() {
    let server = start().await;
    let id = server.feed.publish(&1).unwrap().to_string();
    server.publish(2..=KEPT + 10);
    let (_, mut reader) = server.connect(Some(&id)).await;
    assert_eq!(position(&mut reader).await, id);
    let before = gap(&mut reader, 9).await;
    assert_eq!(data(&take(&mut reader, KEPT as usize).await), (11..=KEPT + 10).collect::<Vec<_>>());
    // The gap has an ID too, so it is not told again.
    let (_, mut reader) = server.connect(Some(&before)).await;
    assert_eq!(position(&mut reader).await, before);
    assert_eq!(data(&take(&mut reader, 1).await), [11]);
}

#[tokio::test(start_paused = true)]
async fn keep_alives_where_it_is_silent() {
    let server = start().await;
    let (_, mut reader) = server.connect(None).await;
    position(&mut reader).await;
    for _ in 0..2 {
        let item = patiently(reader.next()).await.unwrap();
        assert_eq!(item, BlockItem::Comment(Comment::new("keep-alive")));
    }
}

#[tokio::test]
async fn a_shutdown_ends_the_bodies_and_the_server() {
    let server = start().await;
    let (_, mut reader) = server.connect(None).await;
    position(&mut reader).await;
    server.publish([1]);
    assert_eq!(data(&take(&mut reader, 1).await), [1]);
    server.shutdown.cancel();
    let block = next(&mut reader).await.unwrap();
    let seconds = Duration::from_secs(1)..=Duration::from_secs(10);
    assert!(seconds.contains(&block.retry().unwrap()) && block.data().is_none(), "{block:?}");
    assert!(patiently(reader.next()).await.is_none());
    patiently(server.task).await.unwrap().unwrap();
}

#[tokio::test]
async fn a_shutdown_does_not_wait_for_a_reader_that_has_stopped_reading() {
    let server = start().await;
    let address = server.url.strip_prefix("http://").and_then(|url| url.strip_suffix("/events")).unwrap();
    let _stalled = stall(address, "/events", |text| _ = server.feed.publish(&text).unwrap()).await;
    server.shutdown.cancel();
    patiently(server.task).await.unwrap().unwrap();
}
