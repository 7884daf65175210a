//! The example of `EventBody` that sends one event to many readers.

use crate::patiently;
use eventwire::{Encoded, Event, Events};
use eventwire_recipes::broadcast_axum::app;
use futures_util::StreamExt;
use tokio::{net::TcpListener, sync::broadcast};

/// Serves the example. Returns its URL and the sender of its events.
async fn start(queued: usize) -> (String, broadcast::Sender<Encoded>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/prices", listener.local_addr().unwrap());
    let sender = broadcast::Sender::new(queued);
    tokio::spawn(axum::serve(listener, app(sender.clone())).into_future());
    (url, sender)
}

/// The types and data of the events of a response.
async fn connect(url: &str) -> impl StreamExt<Item = (String, String)> + Unpin {
    let response = reqwest::get(url).await.unwrap().error_for_status().unwrap();
    Box::pin(Events::new(response.bytes_stream()).map(|event| {
        let event = event.unwrap();
        (event.event_type().to_owned(), event.data().to_owned())
    }))
}

fn event(event_type: &str, data: &str) -> Option<(String, String)> {
    Some((event_type.to_owned(), data.to_owned()))
}

#[tokio::test]
async fn every_reader_gets_every_event_and_each_response_begins_with_a_reset() {
    let (url, prices) = start(100).await;
    for price in ["41.7", "41.8"] {
        let (mut one, mut other) = (connect(&url).await, connect(&url).await);
        prices.send(Event::new(price).encoded()).unwrap();
        for reader in [&mut one, &mut other] {
            assert_eq!(patiently(reader.next()).await, event("reset", "null"));
            assert_eq!(patiently(reader.next()).await, event("message", price));
        }
    }
}

#[tokio::test]
async fn the_response_of_a_reader_that_has_missed_events_ends() {
    let (url, prices) = start(4).await;
    let mut reader = connect(&url).await;
    assert_eq!(patiently(reader.next()).await, event("reset", "null"));
    // The server runs on this thread too, so it cannot send any of these before they are too many.
    for number in 0..8 {
        prices.send(Event::new(number.to_string()).encoded()).unwrap();
    }
    assert_eq!(patiently(reader.next()).await, None);
    let mut reader = connect(&url).await;
    assert_eq!(patiently(reader.next()).await, event("reset", "null"));
}
