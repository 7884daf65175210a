//! Runs of event sources, and what they need.

use crate::version::{self, RequestWithRedirects};
use eventwire::Timer;
use eventwire_client::{ConnectionError, Connector, EventSource, Hooks, Item, ReconnectPolicy, Stopped};
use eventwire_test::{Script, TestServer};
use futures_util::future::ready;
use reqwest::{Client, Method, RequestBuilder};
use std::{
    net::{TcpListener, TcpStream},
    time::Duration,
};

/// What a source has returned until its end.
#[derive(Debug)]
pub(crate) struct Seen<E> {
    /// The data of the events.
    pub(crate) events: Vec<String>,
    /// Why it reconnected, each time.
    pub(crate) errors: Vec<ConnectionError<E>>,
    pub(crate) stopped: Stopped<E>,
}

pub(crate) async fn run<C: Connector, T: Timer, D: Hooks<C::Error>>(
    mut source: EventSource<C, T, D>,
) -> Seen<C::Error> {
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
pub(crate) enum Way {
    /// With `.eventsource()`.
    Same,
    /// With `from_fn`.
    Made,
}

impl Way {
    pub(crate) const BOTH: [Way; 2] = [Way::Same, Way::Made];

    pub(crate) async fn run<Q: Into<RequestWithRedirects>>(self, request: &impl Fn() -> Q) -> Seen<reqwest::Error> {
        match self {
            Way::Same => run(request().into().eventsource().unwrap().with_policy(quick())).await,
            Way::Made => {
                let source = version::from_fn(|_| ready(Ok::<_, reqwest::Error>(request())));
                run(source.with_policy(quick())).await
            }
        }
    }
}

/// Delays of a few milliseconds, with tokio's clock.
pub(crate) fn quick() -> ReconnectPolicy {
    let short = Duration::from_millis(5);
    ReconnectPolicy::new()
        .with_max_first_attempts(u32::MAX)
        .with_reconnection_time(short)
        .with_min_delay(short)
        .with_max_delay(short)
        .with_max_server_delay(short)
}

/// A proxy configured on the machine could not reach the servers of the tests.
pub(crate) fn http_client() -> Client {
    Client::builder().no_proxy().build().unwrap()
}

/// Returns a request with this method and, for a POST, a body.
pub(crate) fn request(client: &Client, method: &Method, url: &str) -> RequestBuilder {
    let request = client.request(method.clone(), url);
    if *method == Method::POST { request.body("once") } else { request }
}

/// Starts a server with these answers, and then a 204.
pub(crate) fn serve(answers: &[Script]) -> TestServer {
    TestServer::new().answers(answers.iter().cloned()).answer(Script::status(204))
}

/// An answer with one event.
pub(crate) fn event() -> Script {
    Script::new().send("data: a\n\n")
}

/// An answer that redirects to this location.
pub(crate) fn redirect(status: u16, location: &str) -> Script {
    Script::status(status).header("location", location)
}

/// A URL whose server does not exist. The port stays reserved as long as the listener exists.
pub(crate) fn nobody() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let connection = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let url = format!("http://{}/", connection.local_addr().unwrap());
    // Nobody listens on the local port of an open connection.
    std::mem::forget(connection);
    (listener, url)
}
