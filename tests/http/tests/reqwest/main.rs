//! The client over reqwest, on real connections: what is sent again, redirects, HTTP/2.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod cuts;
mod hanging_peer;
mod http2;
mod redirects;
mod resend;
#[path = "../client/server.rs"]
#[allow(dead_code, reason = "other tests need the rest")]
mod server;

use eventwire::{
    Timer,
    client::{ConnectionError, Connector, Decide, EventSource, Item, ReconnectPolicy, Stopped},
};
use eventwire_reqwest::RequestBuilderExt;
use futures_util::{StreamExt, future::ready};
use reqwest::{Client, Method, RequestBuilder};
use std::time::Duration;

/// What a source gave to its end.
#[derive(Debug)]
struct Seen<E> {
    /// The data of the events.
    events: Vec<String>,
    /// Why it reconnected, each time.
    errors: Vec<ConnectionError<E>>,
    stopped: Stopped<E>,
}

async fn run<C: Connector, T: Timer, D: Decide<C::Error>>(mut source: EventSource<C, T, D>) -> Seen<C::Error> {
    let (mut events, mut errors) = (Vec::new(), Vec::new());
    while let Some(item) = source.next().await {
        match item {
            Item::Event(event) => events.push(event.into_data().into()),
            Item::Reconnecting { error, .. } => errors.push(error),
            _ => {}
        }
    }
    Seen { events, errors, stopped: source.into_stopped() }
}

/// By `.eventsource()`, and by `from_fn`.
async fn run_both(request: impl Fn() -> RequestBuilder) -> [Seen<reqwest::Error>; 2] {
    [run_same(&request).await, run_made(&request).await]
}

async fn run_same(request: &impl Fn() -> RequestBuilder) -> Seen<reqwest::Error> {
    run(request().eventsource().unwrap().with_policy(quick())).await
}

async fn run_made(request: &impl Fn() -> RequestBuilder) -> Seen<reqwest::Error> {
    run(eventwire_reqwest::from_fn(|_| ready(Ok::<_, reqwest::Error>(request()))).with_policy(quick())).await
}

/// Delays of a few milliseconds, by tokio's clock.
fn quick() -> ReconnectPolicy {
    let short = Duration::from_millis(5);
    ReconnectPolicy::new()
        .with_reconnection_time(short)
        .with_min_delay(short)
        .with_max_delay(short)
        .with_max_server_delay(short)
}

/// A proxy of the machine's would not find the servers of the tests.
fn http_client() -> Client {
    Client::builder().no_proxy().build().unwrap()
}

/// A request with this method and, if it is a POST, a body.
fn request(client: &Client, method: &Method, url: &str) -> RequestBuilder {
    let request = client.request(method.clone(), url);
    if *method == Method::POST { request.body("once") } else { request }
}
