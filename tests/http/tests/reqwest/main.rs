//! The client over reqwest, on real connections: its requests, which ones are sent again, redirects, HTTP/2.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod client_builder;
mod cuts;
mod followed_redirects;
mod open;
mod raw_http2;
mod redirects;
mod refused_streams;
mod requests;
mod resend;
mod reuse;
#[path = "../client/server.rs"]
#[allow(dead_code, reason = "other tests use the rest")]
mod server;
mod texts;

use eventwire::Timer;
use eventwire_client::{ConnectionError, Connector, EventSource, Hooks, Item, ReconnectPolicy, Stopped};
use eventwire_reqwest::RequestWithRedirects;
use futures_util::{StreamExt, future::ready};
use reqwest::{Client, Method, RequestBuilder};
use std::time::Duration;

/// What a source has returned until its end.
#[derive(Debug)]
struct Seen<E> {
    /// The data of the events.
    events: Vec<String>,
    /// Why it reconnected, each time.
    errors: Vec<ConnectionError<E>>,
    stopped: Stopped<E>,
}

async fn run<C: Connector, T: Timer, D: Hooks<C::Error>>(mut source: EventSource<C, T, D>) -> Seen<C::Error> {
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

/// The two ways to build an event source from requests.
#[derive(Clone, Copy, Debug)]
enum Way {
    /// With `.eventsource()`.
    Same,
    /// With `from_fn`.
    Made,
}

impl Way {
    const BOTH: [Way; 2] = [Way::Same, Way::Made];

    async fn run<Q: Into<RequestWithRedirects>>(self, request: &impl Fn() -> Q) -> Seen<reqwest::Error> {
        self.run_with_idle_timeout(Duration::ZERO, request).await
    }

    /// Zero means no timeout.
    async fn run_with_idle_timeout<Q: Into<RequestWithRedirects>>(
        self,
        timeout: Duration,
        request: &impl Fn() -> Q,
    ) -> Seen<reqwest::Error> {
        match self {
            Way::Same => {
                let source = request().into().eventsource().unwrap();
                run(source.with_policy(quick()).with_idle_timeout(timeout)).await
            }
            Way::Made => {
                let source = eventwire_reqwest::from_fn(|_| ready(Ok::<_, reqwest::Error>(request())));
                run(source.with_policy(quick()).with_idle_timeout(timeout)).await
            }
        }
    }
}

/// Delays of a few milliseconds, with tokio's clock.
fn quick() -> ReconnectPolicy {
    let short = Duration::from_millis(5);
    ReconnectPolicy::new()
        .with_max_first_attempts(u32::MAX)
        .with_reconnection_time(short)
        .with_min_delay(short)
        .with_max_delay(short)
        .with_max_server_delay(short)
}

/// A proxy configured on the machine could not reach the servers of the tests.
fn http_client() -> Client {
    Client::builder().no_proxy().build().unwrap()
}

/// Returns a request with this method and, for a POST, a body.
fn request(client: &Client, method: &Method, url: &str) -> RequestBuilder {
    let request = client.request(method.clone(), url);
    if *method == Method::POST { request.body("once") } else { request }
}
