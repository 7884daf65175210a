//! HTTP/2 connections whose peer hangs. Dropping a response does not close them.

use crate::{hanging_peer::HangingPeer, quick};
use eventwire::Timer;
use eventwire_client::{Connector, EventSource, Item};
use eventwire_reqwest::RequestBuilderExt;
use futures_util::{StreamExt, future::ready};
use reqwest::{Client, ClientBuilder};
use std::time::Duration;

/// How often a source may lose its connection before a test assumes that it will not get another one.
const PATIENCE: u32 = 40;

fn builder() -> ClientBuilder {
    Client::builder().no_proxy().http2_prior_knowledge()
}

/// Returns the data of the first event after the peer hangs, if there is one.
async fn event_after_hanging<C: Connector, T: Timer>(
    peer: &HangingPeer,
    source: EventSource<C, T>,
    patience: u32,
) -> Option<String> {
    let mut source = source.with_policy(quick()).with_idle_timeout(Duration::from_millis(100));
    let mut is_hanging = false;
    let mut lost = 0;
    while lost < patience {
        match source.next().await.unwrap() {
            Item::Event(event) if is_hanging => return Some(event.into_data().into()),
            Item::Event(_) => {
                peer.hang();
                is_hanging = true;
            }
            Item::Reconnecting { .. } => lost += 1,
            _ => {}
        }
    }
    None
}

#[tokio::test]
async fn by_default_a_dead_connection_is_used_again_and_again() {
    let peer = HangingPeer::start().await;
    let source = builder().build().unwrap().get(peer.url()).eventsource().unwrap();
    assert_eq!(event_after_hanging(&peer, source, 5).await, None);
    assert_eq!((peer.connections(), peer.requests()), (1, 1));
}

#[tokio::test]
async fn keep_alives_find_a_dead_connection() {
    let peer = HangingPeer::start().await;
    let client = builder()
        .http2_keep_alive_interval(Duration::from_millis(250))
        .http2_keep_alive_timeout(Duration::from_millis(250))
        .http2_keep_alive_while_idle(true)
        .build()
        .unwrap();
    let source = client.get(peer.url()).eventsource().unwrap();
    let event = event_after_hanging(&peer, source, PATIENCE).await;
    assert!(event.is_some_and(|connection| connection != "1"));
    assert!(peer.connections() > 1);
}

#[tokio::test]
async fn a_new_client_after_a_timeout_has_a_new_connection() {
    let peer = HangingPeer::start().await;
    let (mut client, mut clients) = (builder().build().unwrap(), 1);
    let source = eventwire_reqwest::from_fn(|attempt| {
        if attempt.is_after_timeout() {
            client = builder().build().unwrap();
            clients += 1;
        }
        ready(Ok::<_, reqwest::Error>(client.get(peer.url())))
    });
    let event = event_after_hanging(&peer, source, PATIENCE).await;
    assert!(event.is_some_and(|connection| connection != "1"));
    assert_eq!(peer.connections(), clients);
}
