//! Servers that are right: nothing is found.

use std::convert::Infallible;
use std::future;
use std::net::TcpListener;
use std::thread;
use std::time::Duration;

use axum::Router;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Sse, sse};
use axum::routing::get;
use eventwire::{Event, EventBody, TokioTimer};
use eventwire_hub::{Channel, History, Resume};
use futures_util::stream::{self, Stream, StreamExt};
use tokio::runtime::Runtime;
use tokio::time::sleep;

use crate::check::check;

/// Starts the servers, and returns the URL that they have in common.
pub(crate) fn start() -> String {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    listener.set_nonblocking(true).unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        Runtime::new().unwrap().block_on(async {
            let channel = Channel::new(History::new());
            let app = Router::new()
                .route("/body", get(body))
                .route("/finite", get(finite))
                .route("/large", get(large))
                .route("/sse", get(axum_sse))
                .route("/channel", get(subscribe))
                .with_state(channel.clone());
            tokio::spawn(async move {
                for number in 1.. {
                    channel.send(&Event::new(format!("event {number}"))).unwrap();
                    sleep(Duration::from_millis(200)).await;
                }
            });
            axum::serve(tokio::net::TcpListener::from_std(listener).unwrap(), app).await.unwrap();
        });
    });
    url
}

/// The numbers after the one that a client has, one every 200 ms.
fn numbers(headers: &HeaderMap) -> impl Stream<Item = u64> + Send + use<> {
    let last = headers.get("last-event-id").map_or(0, |id| id.to_str().unwrap().parse().unwrap());
    stream::unfold(last + 1, async |number| {
        sleep(Duration::from_millis(200)).await;
        Some((number, number + 1))
    })
}

async fn body(headers: HeaderMap) -> impl IntoResponse {
    let events = numbers(&headers).map(|number| Event::new("event").with_numeric_id(number));
    EventBody::new(events).with_keep_alive(Duration::from_secs(15), TokioTimer).response()
}

/// axum's events do not say that proxies must not hold them back.
async fn axum_sse(headers: HeaderMap) -> impl IntoResponse {
    Sse::new(numbers(&headers).map(|number| event(number, "a\nb"))).keep_alive(sse::KeepAlive::default())
}

/// Ends after three seconds, and has nothing more for a client that has everything.
async fn finite(headers: HeaderMap) -> Result<impl IntoResponse, StatusCode> {
    if headers.get("last-event-id").is_some_and(|id| id == "15") {
        return Err(StatusCode::NO_CONTENT);
    }
    let numbers = numbers(&headers).take_while(|number| future::ready(*number <= 15));
    Ok(Sse::new(numbers.map(|number| event(number, "event"))))
}

/// Events of 600 bytes.
async fn large(headers: HeaderMap) -> impl IntoResponse {
    Sse::new(numbers(&headers).map(|number| event(number, &"x".repeat(600))))
}

fn event(number: u64, data: &str) -> Result<sse::Event, Infallible> {
    Ok(sse::Event::default().id(number.to_string()).data(data))
}

async fn subscribe(
    State(channel): State<Channel>,
    headers: HeaderMap,
    RawQuery(query): RawQuery,
) -> Result<impl IntoResponse, StatusCode> {
    Ok(EventBody::new(channel.subscribe(Resume::from_request(&headers, query.as_deref()))?).response())
}

/// Checks that nothing is found at these paths, at the same time.
pub(crate) fn are_right(url: &str, paths: &[&str]) {
    thread::scope(|scope| {
        for path in paths {
            let url = format!("{url}{path}");
            scope.spawn(move || {
                // A machine that is very busy may delay an event by a second, but not each time.
                let right = (0..3).find_map(|_| {
                    let out = check(&["--time", "3", &url]).out;
                    let is_right = !out.contains("FAIL") && !out.contains("WARN") && !out.contains("note ");
                    is_right.then_some(out)
                });
                let out = right.unwrap_or_else(|| panic!("{url}: something is found"));
                assert!(!out.contains("---- resume"), "{url}: {out}");
            });
        }
    });
}

#[test]
fn servers() {
    are_right(&start(), &["/body", "/finite", "/large", "/sse", "/channel"]);
}
