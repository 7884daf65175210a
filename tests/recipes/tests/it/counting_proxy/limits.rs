//! A client that reads slowly slows the server down; one that sends slowly, and a server that is silent, are given up.

use super::{CHAT, Proxied, token};
use crate::{STREAM, patiently, serve_routes, within};
use eventwire_recipes::counting_proxy::proxy;
use eventwire_test::{End, Script, TestServer};
use eventwire_test_support::{PATIENCE, by_hand};
use reqwest::Client;
use std::{
    io::{self, ErrorKind, Write},
    net::TcpStream,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
        mpsc,
    },
    time::Duration,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpSocket,
    sync::mpsc::{UnboundedSender, unbounded_channel},
    time::timeout,
};

/// How much the server writes if nothing slows it down.
const TOTAL: u64 = 256 << 20;
/// How far the server may be ahead of the client. Nearly all of it is in the kernel's buffers for the two connections,
/// whose largest sizes on Linux, `tcp_rmem` and `tcp_wmem`, are often 6 and 4 MiB, but 32 and 4 MiB on some servers.
const AHEAD: u64 = 64 << 20;
/// How much the client reads at a time.
const STEP: u64 = 16 << 20;
/// A write that takes longer than this counts as stalled.
const STALL: Duration = Duration::from_millis(500);

/// Writes a stream and counts its bytes. Sends a message each time that no more bytes can be written.
fn write(mut connection: TcpStream, written: &AtomicU64, stalled: &UnboundedSender<io::Result<()>>) {
    let event = token(&"x".repeat(16 << 10));
    connection.write_all(STREAM.as_bytes()).unwrap();
    connection.set_write_timeout(Some(STALL)).unwrap();
    while written.load(Ordering::SeqCst) < TOTAL {
        let mut rest = event.as_bytes();
        while !rest.is_empty() {
            match connection.write(rest) {
                Ok(count) => {
                    written.fetch_add(count as u64, Ordering::SeqCst);
                    rest = &rest[count..];
                }
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                    let _ = stalled.send(Ok(()));
                }
                // The client has closed the connection, or something is wrong.
                Err(error) => {
                    let _ = stalled.send(Err(error));
                    return;
                }
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_server_is_never_far_ahead() {
    let written = Arc::new(AtomicU64::new(0));
    let (stalled, mut stalls) = unbounded_channel();
    let upstream = by_hand({
        let written = Arc::clone(&written);
        move |connection| write(connection, &written, &stalled)
    });
    let mut proxied = Proxied::before(&upstream);

    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(64 << 10).unwrap();
    let address = proxied.url.strip_prefix("http://").unwrap().parse().unwrap();
    let mut client = socket.connect(address).await.unwrap();
    client.write_all(b"GET / HTTP/1.1\r\nHost: proxy\r\n\r\n").await.unwrap();

    let mut read = 0;
    let mut buffer = vec![0; 1 << 20];
    for _ in 0..5 {
        let stall = timeout(PATIENCE, stalls.recv()).await.expect("a stall");
        stall.expect("the server is slowed down before it has written all").expect("the connection to the server");
        let written = written.load(Ordering::SeqCst);
        assert!(written < read + AHEAD, "{written} bytes written, {read} read");
        let next = read + STEP;
        while read < next {
            let count = timeout(PATIENCE, client.read(&mut buffer)).await.expect("more bytes").unwrap();
            assert_ne!(count, 0, "the answer ended after {read} bytes");
            read += count as u64;
        }
        while stalls.try_recv().is_ok() {}
    }
    // This is more than the server may be ahead, so it continued to write while the client was reading.
    assert!(read > AHEAD, "{read} bytes read");
    drop(client);
    let line = proxied.logged().await;
    assert!(line.starts_with("GET /: closed by the client, tokens "), "{line}");
}

/// Serves the recipe in this process, whose clock can be paused. Then tokio advances it as soon as nothing else is left
/// to do.
async fn proxied(server: &str) -> String {
    serve_routes(proxy(server.parse().unwrap()).unwrap()).await
}

/// Returns the output of this future, with more patience than the recipe has.
async fn past<T>(future: impl Future<Output = T>) -> T {
    within(PATIENCE * 20, future).await.expect("the recipe has no timeout")
}

#[tokio::test(start_paused = true)]
async fn a_request_without_its_body() {
    let url = proxied("http://127.0.0.1:1").await;
    let mut client = tokio::net::TcpStream::connect(url.strip_prefix("http://").unwrap()).await.unwrap();
    client.write_all(b"POST /v1 HTTP/1.1\r\nHost: proxy\r\nContent-Length: 2\r\n\r\n{").await.unwrap();
    let mut answer = vec![0; 12];
    past(client.read_exact(&mut answer)).await.unwrap();
    assert_eq!(String::from_utf8(answer).unwrap(), "HTTP/1.1 400");
}

#[tokio::test]
async fn a_server_that_falls_silent() {
    let (asked, was_asked) = mpsc::channel();
    let first = Script::new().send(token("a")).with_end(End::Stall);
    let upstream = TestServer::new().answer(first).answer_with(move |_| {
        asked.send(()).unwrap();
        Script::raw("").with_end(End::Stall)
    });
    let url = proxied(&upstream.url()).await + CHAT;
    let client = Client::builder().no_proxy().build().unwrap();
    let mut response = patiently(client.get(&url).send()).await.unwrap();
    assert_eq!(response.chunk().await.unwrap().unwrap(), token("a"));
    tokio::time::pause();
    assert!(past(response.chunk()).await.is_err(), "the stream ends with an error");
    tokio::time::resume();

    // It is silent before its answer.
    let response = tokio::spawn(client.get(&url).send());
    tokio::task::spawn_blocking(move || was_asked.recv()).await.unwrap().unwrap();
    tokio::time::pause();
    assert_eq!(past(response).await.unwrap().unwrap().status(), 502);
}
