//! The settings of `client_builder`, and HTTP/2 connections whose peer hangs. Dropping a response does not close them.

use crate::{
    raw_http2::{
        RawHttp2,
        Reply::{Event, Silence},
    },
    runs::{Way, event, quick, redirect, run, serve},
    version::{RequestBuilderExt, client_builder},
};
use eventwire_client::ConnectionError;
use reqwest::redirect::Policy;
use std::time::Duration;

#[tokio::test]
async fn it_sends_no_referer() {
    let client = client_builder().no_proxy().redirect(Policy::limited(10)).build().unwrap();
    let server = serve(&[redirect(302, "/other"), event()]);
    let seen = Way::Same.run(&|| client.get(server.url() + "?token=secret")).await;
    assert_eq!((seen.events.len(), server.requests()[1].headers().get("referer")), (1, None));
}

/// The clock is tokio's and stands still while anything happens, so that half a minute passes at once.
#[tokio::test(start_paused = true)]
async fn it_finds_a_dead_connection() {
    let peer = RawHttp2::start(&[Silence, Event]).await;
    let client = client_builder().no_proxy().http2_prior_knowledge().build().unwrap();
    let source = client.get(peer.url()).eventsource().unwrap().with_policy(quick());
    let seen = run(source.with_idle_timeout(Duration::from_secs(3600))).await;
    assert_eq!((seen.events.len(), peer.connections()), (2, 2));
    assert!(matches!(seen.errors[0], ConnectionError::Transport(_)), "{:?}", seen.errors);
}
