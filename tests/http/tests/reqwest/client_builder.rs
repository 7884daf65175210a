//! The settings of `client_builder`.

use crate::{
    Way,
    hanging_peer::HangingPeer,
    quick,
    server::{Answer, Server, Step::Send, stream},
};
use eventwire_client::{Item, StopReason};
use eventwire_reqwest::{RequestBuilderExt, client_builder};
use futures_util::StreamExt;
use reqwest::redirect::Policy;
use std::time::Duration;

const FOUND: Answer = &[Send(b"HTTP/1.1 302 Found\r\nLocation: /other\r\nContent-Length: 0\r\n\r\n")];
const EVENT: Answer = &[stream!("data: a\n\n")];

#[tokio::test]
async fn it_follows_no_redirects() {
    let (server, client) = (Server::start(&[FOUND, EVENT]).await, client_builder().no_proxy().build().unwrap());
    let seen = Way::Same.run(&|| client.get(server.url())).await;
    assert_eq!(
        (seen.stopped.reason(), seen.stopped.response().unwrap().status().as_u16()),
        (StopReason::UnexpectedResponse, 302)
    );
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn it_sends_no_referer() {
    let client = client_builder().no_proxy().redirect(Policy::limited(10)).build().unwrap();
    let server = Server::start(&[FOUND, EVENT]).await;
    let seen = Way::Same.run(&|| client.get(server.url() + "?token=secret")).await;
    assert_eq!((seen.events.len(), server.requests()[1].header("referer")), (1, None));
}

/// The clock is tokio's and stands still while anything happens, so that half a minute passes at once.
#[tokio::test(start_paused = true)]
async fn it_finds_a_dead_connection() {
    let peer = HangingPeer::start().await;
    let client = client_builder().no_proxy().http2_prior_knowledge().build().unwrap();
    let mut source = client.get(peer.url()).eventsource().unwrap().with_policy(quick());
    source = source.with_idle_timeout(Duration::from_secs(3600));
    let mut connections = Vec::new();
    while connections.len() < 2 {
        if let Item::Event(event) = source.next().await.unwrap() {
            connections.push(event.data().to_owned());
            peer.hang();
        }
    }
    assert_eq!(connections, ["1", "2"]);
}
