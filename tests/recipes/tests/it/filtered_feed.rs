//! A filter for each reader: the events that it does not get move its last event ID on.

use crate::{patiently, serve_routes};
use eventwire::{Block, BlockItem, Comment, Event, Events};
use eventwire_hub::{Channel, History};
use eventwire_recipes::filtered_feed::app;
use futures_util::StreamExt;

/// How many events are kept, and after how many hidden ones the recipe sends an ID.
const KEPT: usize = 300;
const MOST_HIDDEN: u64 = 100;

async fn start() -> (String, Channel) {
    let channel = Channel::new(History::new().with_max_events(KEPT));
    (serve_routes(app(channel.clone())).await + "/events/price,trade", channel)
}

async fn request(url: &str, last_event_id: &str) -> reqwest::Response {
    let request = reqwest::Client::new().get(url).header("last-event-id", last_event_id);
    patiently(request.send()).await.unwrap().error_for_status().unwrap()
}

async fn connect(url: &str, last_event_id: &str) -> impl StreamExt<Item = BlockItem> + Unpin {
    Events::new(request(url, last_event_id).await.bytes_stream()).blocks().map(|item| item.unwrap()).boxed_local()
}

async fn next(reader: &mut (impl StreamExt<Item = BlockItem> + Unpin)) -> Block {
    match patiently(reader.next()).await.unwrap() {
        BlockItem::Block(block) => block,
        other => panic!("{other:?}"),
    }
}

fn send(channel: &Channel, kind: &str, count: u64) {
    for number in 0..count {
        channel.send(&Event::new(number.to_string()).with_event_type(kind).unwrap()).unwrap();
    }
}

fn number(block: &Block) -> u64 {
    block.id().unwrap().rsplit('-').next().unwrap().parse().unwrap()
}

#[tokio::test]
async fn a_reader_gets_only_its_kinds() {
    let (url, channel) = start().await;
    let mut reader = connect(&url, "").await;
    assert_eq!(number(&next(&mut reader).await), 0);
    for kind in ["price", "news", "message", "trade", "pric", "price,trade"] {
        send(&channel, kind, 1);
    }
    // A comment has no type, and a transient item no ID.
    channel.send_transient(Comment::new("hello")).unwrap();
    channel.send_transient(Event::new("hidden")).unwrap();
    channel.send_transient(Event::new("shown").with_event_type("trade").unwrap()).unwrap();
    let (first, second) = (next(&mut reader).await, next(&mut reader).await);
    assert_eq!((first.event_type(), number(&first)), (Some("price"), 1));
    assert_eq!((second.event_type(), number(&second)), (Some("trade"), 4));
    assert_eq!(patiently(reader.next()).await.unwrap(), BlockItem::Comment(Comment::new("hello")));
    assert_eq!(next(&mut reader).await.data(), Some("shown"));
    // What is hidden behind a transient item is not forgotten.
    channel.finish();
    assert_eq!(number(&next(&mut reader).await), 6);
}

#[tokio::test]
async fn a_reader_for_which_there_is_nothing_for_longer_than_the_history_has_missed_nothing() {
    let (url, channel) = start().await;
    let mut reader = connect(&url, "").await;
    next(&mut reader).await;
    let mut id = String::new();
    for _ in 0..10 {
        send(&channel, "news", MOST_HIDDEN - 1);
        send(&channel, "news", 1);
        let block = next(&mut reader).await;
        assert_eq!((block.data(), block.event_type(), number(&block)), (None, None, channel.position().sequence()));
        id = block.id().unwrap().to_owned();
    }
    // Not yet so many that the ID is sent.
    send(&channel, "news", MOST_HIDDEN - 1);
    drop(reader);
    let mut reader = connect(&url, &id).await;
    assert_eq!(next(&mut reader).await.id(), Some(&*id));
    send(&channel, "price", 1);
    let block = next(&mut reader).await;
    assert_eq!((block.event_type(), number(&block)), (Some("price"), 1100));
}

#[tokio::test]
async fn an_event_that_is_shown_begins_the_count_anew() {
    let (url, channel) = start().await;
    let mut reader = connect(&url, "").await;
    next(&mut reader).await;
    for _ in 0..3 {
        send(&channel, "news", MOST_HIDDEN - 1);
        send(&channel, "price", 1);
        assert_eq!(next(&mut reader).await.event_type(), Some("price"));
    }
    // The reader has the ID of the last event already.
    channel.finish();
    assert!(patiently(reader.next()).await.is_none());
}

/// Otherwise it would return again and again.
#[tokio::test]
async fn a_reader_of_a_finished_feed_is_told_not_to_return() {
    let (url, channel) = start().await;
    let mut reader = connect(&url, "").await;
    next(&mut reader).await;
    send(&channel, "news", 2);
    channel.finish();
    let last = next(&mut reader).await;
    assert_eq!((last.data(), number(&last)), (None, 2));
    assert!(patiently(reader.next()).await.is_none());
    assert_eq!(request(&url, last.id().unwrap()).await.status(), 204);
}

#[tokio::test]
async fn a_real_gap_is_told() {
    let (url, channel) = start().await;
    send(&channel, "price", 1);
    let id = channel.position().to_string();
    send(&channel, "news", KEPT as u64 + 7);
    let mut reader = connect(&url, &id).await;
    assert_eq!(next(&mut reader).await.id(), Some(&*id));
    let gap = next(&mut reader).await;
    assert_eq!((gap.event_type(), gap.data(), number(&gap)), (Some("gap"), Some("{\"missed\":7}"), 8));
}
