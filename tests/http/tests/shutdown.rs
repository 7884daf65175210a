//! Graceful shutdowns with open streams.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

use axum::{Router, routing::get};
use bytes::Bytes;
use eventwire::{Block, Decoder, Event, EventBody, TokioTimer};
use futures_util::{FutureExt, StreamExt, future, stream};
use std::{collections::BTreeSet, io, time::Duration};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::watch,
    task::JoinHandle,
    time::timeout,
};

/// How long to wait before a test fails. No test waits for this time to pass.
const PATIENCE: Duration = Duration::from_secs(60);
const TIMES: std::ops::RangeInclusive<Duration> = Duration::from_secs(100)..=Duration::from_secs(200);

struct Server {
    address: std::net::SocketAddr,
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

    /// Opens a connection and reads the first event.
    async fn open(&self, path: &str) -> (TcpStream, Vec<u8>) {
        let mut connection = TcpStream::connect(self.address).await.unwrap();
        let request = format!("GET {path} HTTP/1.1\r\nhost: here\r\n\r\n");
        connection.write_all(request.as_bytes()).await.unwrap();
        let mut read = Vec::new();
        while !read.windows(5).any(|bytes| bytes == b"data:") {
            assert_ne!(connection.read_buf(&mut read).await.unwrap(), 0);
        }
        (connection, read)
    }
}

/// Returns the joined chunks of a complete response. Panics if a chunk is truncated.
fn body(response: &[u8]) -> Vec<u8> {
    let head = response.windows(4).position(|bytes| bytes == b"\r\n\r\n").expect("a head");
    let mut rest = &response[head + 4..];
    let mut body = Vec::new();
    loop {
        let line = rest.windows(2).position(|bytes| bytes == b"\r\n").expect("a chunk's length");
        let len = usize::from_str_radix(str::from_utf8(&rest[..line]).unwrap(), 16).expect("a length");
        let (chunk, after) = rest[line + 2..].split_at(len);
        rest = after.strip_prefix(b"\r\n").expect("a complete chunk");
        if len == 0 {
            assert!(rest.is_empty());
            return body;
        }
        body.extend_from_slice(chunk);
    }
}

/// Returns the reconnection time at the end of a stream of these events.
#[track_caller]
fn last_retry(body: &[u8], data: &str) -> Duration {
    let last = body.windows(7).rposition(|bytes| bytes == b"retry: ").expect("a retry");
    assert!(body[last..].ends_with(b"\n\n") && body[..last].ends_with(b"\n\n"));
    let mut decoder = Decoder::new();
    let mut input = Bytes::copy_from_slice(body);
    let mut count = 0;
    while let Some(event) = decoder.decode_bytes(&mut input).unwrap() {
        assert_eq!(event.data(), data);
        count += 1;
    }
    assert!(count > 0);
    let time = decoder.reconnection_time().expect("a reconnection time");
    assert_eq!(body[last..], Block::default().with_retry(time).to_bytes());
    assert!(TIMES.contains(&time), "{time:?}");
    time
}

#[tokio::test]
async fn a_graceful_shutdown_ends_open_streams() {
    let server = Server::start().await;
    let mut open = future::join_all((0..20).map(|_| server.open("/silent"))).await;
    server.running.send(()).unwrap();
    timeout(PATIENCE, server.task).await.expect("the server ends").unwrap().unwrap();

    let mut times = BTreeSet::new();
    for (connection, response) in &mut open {
        timeout(PATIENCE, connection.read_to_end(response)).await.expect("an end").unwrap();
        times.insert(last_retry(&body(response), "1"));
    }
    // The range is a hundred thousand milliseconds.
    assert!(times.len() > 10, "{times:?}");
}

#[tokio::test]
async fn a_busy_stream_ends_as_well() {
    let server = Server::start().await;
    let (mut connection, mut response) = server.open("/busy").await;
    server.running.send(()).unwrap();
    timeout(PATIENCE, connection.read_to_end(&mut response)).await.expect("an end").unwrap();
    last_retry(&body(&response), "two\nlines");
    timeout(PATIENCE, server.task).await.expect("the server ends").unwrap().unwrap();
}
