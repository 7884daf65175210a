use crate::patiently;
use axum::http::HeaderMap;
use eventwire::{Block, BlockItem, Comment, Events};
use eventwire_recipes::axum_server::{Feed, serve};
use futures_util::{Stream, StreamExt};
use serde::{Serialize, Serializer};
use std::{cell::Cell, io, pin::Pin, time::Duration};
use tokio::{
    io::AsyncWriteExt,
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};
use tokio_util::sync::CancellationToken;

/// As many events as the recipe queues for a reader.
const QUEUED: usize = 64;

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
        values.into_iter().for_each(|value| self.feed.publish(&value).unwrap());
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
    assert_eq!((block.event_type(), block.data(), block.retry()), (None, None, None));
    block.id().unwrap().to_owned()
}

/// Returns the ID of the event that says that events are missing.
async fn gap(items: &mut Items) -> String {
    let block = next(items).await.unwrap();
    assert_eq!((block.event_type(), block.data()), (Some("gap"), Some("null")));
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
    let ids: Vec<u64> = events.iter().map(|(id, _)| id.parse().unwrap()).collect();
    assert_eq!(ids, [ids[0], ids[0] + 1, ids[0] + 2]);
    assert_eq!(encoded.get(), 1);
}

#[tokio::test]
async fn a_reader_that_returns_gets_what_it_missed() {
    let server = start().await;
    let (_, mut reader) = server.connect(None).await;
    let start = position(&mut reader).await;
    server.publish([1, 2, 3]);
    let events = take(&mut reader, 2).await;
    drop(reader);
    server.publish([4]);
    let (_, mut reader) = server.connect(Some(&events[1].0)).await;
    assert_eq!(position(&mut reader).await, events[1].0);
    server.publish([5]);
    assert_eq!(data(&take(&mut reader, 3).await), [3, 4, 5]);
    // A new reader gets all events that are kept.
    let (_, mut reader) = server.connect(None).await;
    assert_eq!(position(&mut reader).await, start);
    assert_eq!(data(&take(&mut reader, 5).await), [1, 2, 3, 4, 5]);
    // Older events are no longer kept.
    server.publish(6..=2000);
    let (_, mut reader) = server.connect(None).await;
    position(&mut reader).await;
    assert_eq!(data(&take(&mut reader, 1024).await), (977..=2000).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_reader_that_left_before_the_first_event_gets_it_when_it_returns() {
    let server = start().await;
    let (_, mut reader) = server.connect(None).await;
    let id = position(&mut reader).await;
    drop(reader);
    server.publish(1..=1024);
    let (_, mut reader) = server.connect(Some(&id)).await;
    assert_eq!(position(&mut reader).await, id);
    assert_eq!(data(&take(&mut reader, 1024).await), (1..=1024).collect::<Vec<_>>());
    // One event more, and one is missing.
    server.publish([1025]);
    let (_, mut reader) = server.connect(Some(&id)).await;
    assert_ne!(gap(&mut reader).await, id);
    assert_eq!(data(&take(&mut reader, 1024).await), (2..=1025).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_reader_with_an_id_that_is_too_old_is_told() {
    let server = start().await;
    server.publish([1]);
    let (_, mut reader) = server.connect(None).await;
    position(&mut reader).await;
    let id = take(&mut reader, 1).await.remove(0).0;
    server.publish(2..=2000);
    let (_, mut reader) = server.connect(Some(&id)).await;
    let before = gap(&mut reader).await;
    assert_eq!(data(&take(&mut reader, 1024).await), (977..=2000).collect::<Vec<_>>());
    // The gap has an ID too, so it is not told again.
    let (_, mut reader) = server.connect(Some(&before)).await;
    assert_eq!(position(&mut reader).await, before);
    assert_eq!(data(&take(&mut reader, 1).await), [977]);
}

#[tokio::test]
async fn a_reader_with_an_id_of_another_server_is_told_and_gets_nothing_twice() {
    let server = start().await;
    server.publish([1, 2]);
    for (value, id) in (3..).zip(["x", "-1", "1.5", "18446744073709551615", "18446744073709551616", "\u{E9}"]) {
        let (_, mut reader) = server.connect(Some(id)).await;
        let before = gap(&mut reader).await;
        server.publish([value]);
        assert_eq!(data(&take(&mut reader, 1).await), [value], "{id}");
        let (_, mut reader) = server.connect(Some(&before)).await;
        assert_eq!(position(&mut reader).await, before);
        assert_eq!(data(&take(&mut reader, 1).await), [value], "{id}");
    }
}

#[tokio::test]
async fn a_reader_is_told_that_the_server_has_restarted() {
    let first = start().await;
    first.publish([1]);
    let (_, mut reader) = first.connect(None).await;
    position(&mut reader).await;
    let id = take(&mut reader, 1).await.remove(0).0;
    // IDs rise when the server restarts at once, so the reader gets what was published since then.
    let second = start().await;
    second.publish([2]);
    let (_, mut reader) = second.connect(Some(&id)).await;
    let before = gap(&mut reader).await;
    assert!(id.parse::<u64>().unwrap() < before.parse().unwrap());
    assert_eq!(data(&take(&mut reader, 1).await), [2]);
}

#[tokio::test]
async fn a_slow_reader_is_disconnected_and_catches_up() {
    let server = start().await;
    let (_, mut reader) = server.connect(None).await;
    position(&mut reader).await;
    server.publish([0]);
    let mut events = take(&mut reader, 1).await;
    // The server runs on this thread too, so it cannot send any of these before they are too many.
    server.publish(1..=100);
    while let Some(block) = next(&mut reader).await {
        events.push(message(&block));
    }
    assert!(events.len() < 101, "it was not too slow");
    let (_, mut reader) = server.connect(Some(&events.last().unwrap().0)).await;
    position(&mut reader).await;
    server.publish([101]);
    events.extend(take(&mut reader, 102 - events.len()).await);
    assert_eq!(data(&events), (0..=101).collect::<Vec<_>>());
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
    let mut stalled = TcpStream::connect(address).await.unwrap();
    stalled.write_all(b"GET /events HTTP/1.1\r\nhost: test\r\n\r\n").await.unwrap();
    stalled.readable().await.unwrap(); // the head of the response; it is not read, nor is anything else
    // More than the buffers of both sockets can take.
    let large = "x".repeat(1024 * 1024);
    for _ in 0..QUEUED {
        server.feed.publish(&large).unwrap();
        tokio::task::yield_now().await;
    }
    server.shutdown.cancel();
    patiently(server.task).await.unwrap().unwrap();
}
