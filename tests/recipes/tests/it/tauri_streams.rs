//! The part of the recipe for Tauri that does not name it. `tests/tauri` checks the rest.

use crate::{patiently, reqwest_client, stream};
use eventwire_recipes::tauri_streams::{Streams, Update};
use eventwire_reqwest::{RequestBuilderExt, RequestEventSource};
use eventwire_test::{End, Script, TestServer};
use futures_util::FutureExt;
use std::{pin::pin, sync::mpsc::channel, time::Duration};

fn source(url: &str) -> RequestEventSource {
    reqwest_client().get(url).eventsource().unwrap()
}

/// A server whose streams have one event, and do not end.
fn endless() -> TestServer {
    TestServer::new().answer_with(|_| Script::new().send("data: a\n\n").with_end(End::Stall))
}

#[tokio::test]
async fn a_page_gets_all_that_happens() {
    let refused = Script::status(401).send("who?");
    let server = TestServer::new().answers([stream("id: 1\nevent: price\ndata: 7\n\n"), refused]);
    let (tell, updates) = channel();
    let streams = Streams::default();
    let result = patiently(streams.follow("main", 1, source(&server.url()), |update| tell.send(update))).await;
    assert_eq!(result, Err("the server answered 401 Unauthorized: who?".to_owned()));
    let updates: Vec<Update> = updates.try_iter().collect();
    let [Update::Open, event, Update::Reconnecting { error, delay_ms }] = &updates[..] else { panic!("{updates:?}") };
    let json = serde_json::to_string(event).unwrap();
    assert_eq!(json, r#"{"type":"event","eventType":"price","data":"7","id":"1"}"#);
    assert_eq!(serde_json::to_string(&Update::Open).unwrap(), r#"{"type":"open"}"#);
    let json = serde_json::to_string(&updates[2]).unwrap();
    assert_eq!(json, format!(r#"{{"type":"reconnecting","error":"{error}","delayMs":{delay_ms}}}"#));
    assert_eq!(error, "the connection ended");
}

#[tokio::test]
async fn a_complete_feed_is_no_error() {
    let server = TestServer::new().answer(Script::status(204));
    let result = patiently(Streams::default().follow("main", 1, source(&server.url()), |_| Ok::<_, String>(()))).await;
    assert_eq!(result, Ok(()));
}

#[tokio::test]
async fn a_page_stops_one_of_its_feeds_and_no_other() {
    let server = endless();
    let streams = Streams::default();
    let follow = |page, channel| streams.follow(page, channel, source(&server.url()), |_| Ok::<_, String>(()));
    let (mut one, mut two, mut other) = (pin!(follow("main", 1)), pin!(follow("main", 2)), pin!(follow("other", 1)));
    for feed in [one.as_mut(), two.as_mut(), other.as_mut()] {
        assert!(feed.now_or_never().is_none());
    }
    streams.stop("main", 3);
    streams.stop("main", 1);
    assert_eq!(patiently(one.as_mut()).await, Ok(()));
    assert!(two.as_mut().now_or_never().is_none() && other.as_mut().now_or_never().is_none());
    streams.stop("main", 1); // it has ended

    // Its window is closed.
    streams.stop_all("main");
    assert_eq!(patiently(two.as_mut()).await, Ok(()));
    assert!(other.as_mut().now_or_never().is_none());
}

#[tokio::test]
async fn a_page_that_cannot_be_reached_ends_it() {
    let server = endless();
    let send = |update| if update == Update::Open { Ok(()) } else { Err("the page is gone") };
    let streams = Streams::default();
    let follow = tokio::time::timeout(Duration::from_secs(30), streams.follow("main", 1, source(&server.url()), send));
    assert_eq!(follow.await.unwrap(), Err("the page is gone".to_owned()));
}
