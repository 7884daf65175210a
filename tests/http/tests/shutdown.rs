//! Graceful shutdowns with open streams.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

use axum::{Router, routing::get};
use eventwire::{Block, Event, EventBody, TokioTimer};
use eventwire_test_support::PATIENCE;
use futures_util::{FutureExt, StreamExt, future, stream};
use std::{collections::BTreeSet, io, net::SocketAddr, time::Duration};
use tokio::{net::TcpListener, sync::watch, task::JoinHandle, time::timeout};

const TIMES: std::ops::RangeInclusive<Duration> = Duration::from_secs(100)..=Duration::from_secs(200);

struct Server {
    address: SocketAddr,
    running: watch::Sender<()>,
    task: JoinHandle<io::Result<()>>,
}

impl Server {
    /// Starts a server with two endpoints: one sends an event and then nothing, the other sends events as fast as
    /// they are read.
    async fn start() -> Server {
        let (running, stopped) = watch::channel(());
        let gone = |mut stopped: watch::Receiver<()>| async move { stopped.changed().await };
        let silent = {
            let stopped = stopped.clone();
            let blocks = || stream::iter([Event::new("1")]).chain(stream::pending());
            async move || EventBody::new(blocks()).until(gone(stopped)).with_final_retry(TIMES).response()
        };
        let busy = {
            let stopped = stopped.clone();
            async move || {
                let body = EventBody::new(stream::repeat(Event::new("two\nlines"))).until(gone(stopped));
                body.with_final_retry(TIMES).with_keep_alive(Duration::from_secs(15), TokioTimer).response()
            }
        };
        let router = Router::new().route("/silent", get(silent)).route("/busy", get(busy));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let serve = axum::serve(listener, router).with_graceful_shutdown(gone(stopped).map(drop));
        Server { address, running, task: tokio::spawn(serve.into_future()) }
    }

    /// Opens a response, and returns it with its first chunk.
    async fn open(&self, path: &str) -> (reqwest::Response, Vec<u8>) {
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        let mut response = client.get(format!("http://{}{path}", self.address)).send().await.unwrap();
        let first = response.chunk().await.unwrap().expect("an event");
        (response, first.into())
    }
}

/// Reads the rest of a stream of these events, and returns the reconnection time at its end. A truncated body is an
/// error.
async fn last_retry((response, mut body): (reqwest::Response, Vec<u8>), event: &Event) -> Duration {
    body.extend(timeout(PATIENCE, response.bytes()).await.expect("an end").unwrap());
    let last = body.windows(7).rposition(|bytes| bytes == b"retry: ").expect("a retry");
    let (events, last) = body.split_at(last);
    assert!(events.chunks(event.to_bytes().len()).all(|bytes| bytes == event.to_bytes()));
    let last = std::str::from_utf8(last).unwrap();
    let time = last.strip_prefix("retry: ").unwrap().trim_end().parse().map(Duration::from_millis).unwrap();
    assert_eq!(last.as_bytes(), Block::default().with_retry(time).to_bytes());
    assert!(TIMES.contains(&time), "{time:?}");
    time
}

#[tokio::test]
async fn a_graceful_shutdown_ends_silent_and_busy_streams() {
    let server = Server::start().await;
    let silent = future::join_all((0..20).map(|_| server.open("/silent"))).await;
    let busy = server.open("/busy").await;
    server.running.send(()).unwrap();
    last_retry(busy, &Event::new("two\nlines")).await;
    let mut times = BTreeSet::new();
    for silent in silent {
        times.insert(last_retry(silent, &Event::new("1")).await);
    }
    // The range is a hundred thousand milliseconds.
    assert!(times.len() > 10, "{times:?}");
    timeout(PATIENCE, server.task).await.expect("the server ends").unwrap().unwrap();
}
