//! The recipes, each run against a server on this machine.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod async_read;
mod awc;
mod axum_server;
mod broadcast_axum;
mod changing_proxy;
mod chat;
mod chat_client;
mod compressed_server;
mod continued_answer;
mod counting_proxy;
mod decoder_and_comments;
mod detached_answer;
mod filtered_feed;
mod last_id;
mod mcp;
mod ollama;
mod one_answer;
mod overloaded;
mod reqwest_eventsource;
mod reqwest_middleware;
mod serving_many;
mod several_feeds;
mod snapshot_then_events;
mod stalled_readers;
mod tauri_streams;
mod token_expires;
mod token_refresh;
mod tool_calls;
mod ureq;
mod ureq_reconnect;

use axum::{Router, serve::ListenerExt};
use bytes::Bytes;
use eventwire_test::Script;
use eventwire_test_support::PATIENCE;
use http::Request;
use std::{pin::pin, time::Duration};
use tokio::{
    io::AsyncWriteExt,
    net::{TcpListener, TcpStream},
};

/// Returns the output of this future, which must not take long.
async fn patiently<T>(future: impl Future<Output = T>) -> T {
    within(PATIENCE, future).await.expect("the test took too long")
}

/// Returns the output of this future, if it has one after so many seconds of tokio's clock.
///
/// A clock that is paused jumps to the next timer as soon as nothing is left to do in this process, even while bytes
/// are on their way in the kernel. So each of its seconds takes a while of the time outside.
async fn within<T>(time: Duration, future: impl Future<Output = T>) -> Option<T> {
    let mut future = pin!(future);
    for _ in 0..time.as_secs() {
        if let Ok(output) = tokio::time::timeout(Duration::from_secs(1), &mut future).await {
            return Some(output);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    None
}

/// Serves until the test's runtime ends, and returns the URL.
async fn serve_routes(routes: Router) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    // With a simulated clock, it takes forever until the kernel acknowledges what it has received.
    let listener = listener.tap_io(|connection| connection.set_nodelay(true).unwrap());
    tokio::spawn(axum::serve(listener, routes).into_future());
    url
}

/// A client that keeps to what `eventwire_reqwest` needs.
fn reqwest_client() -> reqwest::Client {
    eventwire_reqwest::client_builder().build().unwrap()
}

/// Sends a request whose response is not read, and has events of a mebibyte sent, more than the buffers of both sockets
/// can take.
async fn stall(address: &str, path: &str, mut send: impl FnMut(&str)) -> TcpStream {
    let mut client = TcpStream::connect(address).await.unwrap();
    client.write_all(format!("GET {path} HTTP/1.1\r\nhost: test\r\n\r\n").as_bytes()).await.unwrap();
    client.readable().await.unwrap(); // the head of the response; it is not read, nor is anything else
    let large = "x".repeat(1024 * 1024);
    for _ in 0..64 {
        send(&large);
        tokio::task::yield_now().await;
    }
    client
}

/// Returns the values of all headers with this name.
fn header<'a>(request: &'a Request<Bytes>, name: &str) -> Vec<&'a str> {
    request.headers().get_all(name).iter().map(|value| str::from_utf8(value.as_bytes()).unwrap()).collect()
}

/// A response of these events, whose reader returns at once.
fn stream(events: &str) -> Script {
    Script::new().send(format!("retry: 1\n\n{events}"))
}

/// The head of a response whose body ends with the connection.
const STREAM: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";
