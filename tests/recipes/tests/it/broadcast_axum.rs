//! The example of `EventBody` that sends one event to many readers.

use crate::{patiently, serve_routes};
use eventwire::{Block, BlockItem, Event, Events};
use eventwire_hub::{Channel, History};
use eventwire_recipes::broadcast_axum::app;
use futures_util::StreamExt;

/// Serves the example. Returns its URL and its channel.
async fn start() -> (String, Channel) {
    let channel = Channel::new(History::new());
    (serve_routes(app(channel.clone())).await + "/prices", channel)
}

async fn request(url: &str, last_event_id: &str) -> reqwest::Response {
    let request = reqwest::Client::new().get(url).header("Last-Event-ID", last_event_id);
    request.send().await.unwrap().error_for_status().unwrap()
}

/// The blocks of a response. The first one only has an ID.
async fn connect(url: &str, last_event_id: &str) -> impl StreamExt<Item = Block> + Unpin {
    let response = request(url, last_event_id).await;
    let mut blocks = Events::new(response.bytes_stream()).blocks().boxed_local();
    let opening = patiently(blocks.next()).await.unwrap().unwrap();
    assert!(matches!(opening, BlockItem::Block(block) if block.data().is_none() && block.id().is_some()));
    blocks.map(|item| match item.unwrap() {
        BlockItem::Block(block) => block,
        other => panic!("{other:?}"),
    })
}

#[tokio::test]
async fn every_reader_gets_every_event_and_one_that_returns_gets_what_it_missed() {
    let (url, prices) = start().await;
    let (mut one, mut other) = (connect(&url, "").await, connect(&url, "").await);
    for price in ["41.7", "41.8"] {
        let id = prices.send(&Event::new(price)).unwrap().to_string();
        for reader in [&mut one, &mut other] {
            let block = patiently(reader.next()).await.unwrap();
            assert_eq!((block.event_type(), block.data(), block.id()), (None, Some(price), Some(&*id)));
        }
    }
    drop(one);
    let id = prices.position().to_string();
    prices.send(&Event::new("41.9")).unwrap();
    let mut one = connect(&url, &id).await;
    assert_eq!(patiently(one.next()).await.unwrap().data(), Some("41.9"));
}

#[tokio::test]
async fn a_reader_that_has_everything_is_told_not_to_return() {
    let (url, prices) = start().await;
    let mut reader = connect(&url, "").await;
    let id = prices.send(&Event::new("41.7")).unwrap().to_string();
    prices.finish();
    assert_eq!(patiently(reader.next()).await.unwrap().data(), Some("41.7"));
    assert!(patiently(reader.next()).await.is_none());
    assert_eq!(request(&url, &id).await.status(), 204);
}
