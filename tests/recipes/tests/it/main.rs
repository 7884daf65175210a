//! The recipes, each run against a server on this machine.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod async_read;
mod awc;
mod axum_server;
mod broadcast_axum;
mod chat_client;
mod counting_proxy;
mod decoder_and_comments;
mod one_answer;
mod page;
mod reqwest_middleware;
mod serving_many;
mod snapshot_then_events;
mod token_expires;
mod ureq;
mod ureq_reconnect;

use eventwire_test_support::PATIENCE;

/// Returns the output of this future, which must not take long.
async fn patiently<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, future).await.expect("the test took too long")
}

/// The head of a response whose body ends with the connection.
const STREAM: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";
