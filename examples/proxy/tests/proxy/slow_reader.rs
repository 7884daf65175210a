//! A client that reads slowly slows the server down.

use std::io::{ErrorKind, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use eventwire_test_support::{PATIENCE, serve};
use proxy::End;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpSocket;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::time::timeout;

use crate::proxied::Proxied;

const TOTAL: u64 = 64 << 20;
/// How far the server may be ahead of the client: what the kernel's buffers for the two connections hold, of which the largest, at the
/// proxy, grows to 6 MiB on Linux, and some chunks in the proxy.
const AHEAD: u64 = 16 << 20;
/// Long enough for whatever is not held back to be written.
const STALL: Duration = Duration::from_millis(500);

/// Writes a stream and counts its bytes. Each time that no byte can be written any more, it says so.
fn write(mut connection: TcpStream, written: &AtomicU64, stalled: &UnboundedSender<()>) {
    let event = format!("data: {}\n\n", serde_json::json!({ "model": "small-2", "text": "x".repeat(16 << 10) }));
    connection.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n").unwrap();
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
                    let _ = stalled.send(());
                }
                // The client has left.
                Err(_) => return,
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_server_is_never_far_ahead() {
    let written = Arc::new(AtomicU64::new(0));
    let (stalled, mut stalls) = unbounded_channel();
    let upstream = serve({
        let written = Arc::clone(&written);
        move |_, connection| write(connection, &written, &stalled)
    });
    let mut proxied = Proxied::before(&upstream).await;

    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(64 << 10).unwrap();
    let address = proxied.url.strip_prefix("http://").unwrap().parse().unwrap();
    let mut client = socket.connect(address).await.unwrap();
    client.write_all(b"GET / HTTP/1.1\r\nHost: proxy\r\n\r\n").await.unwrap();

    let mut read = 0;
    let mut buffer = vec![0; 1 << 20];
    for _ in 0..4 {
        timeout(PATIENCE, stalls.recv()).await.expect("the server is slowed down").unwrap();
        let ahead = written.load(Ordering::SeqCst) - read;
        assert!((1..AHEAD).contains(&ahead), "{ahead} bytes ahead after {read}");
        // More than may be ahead, so that the server has to write again before this is read.
        let next = read + AHEAD / 2;
        while read < next {
            let count = timeout(PATIENCE, client.read(&mut buffer)).await.expect("more bytes").unwrap();
            assert_ne!(count, 0);
            read += count as u64;
        }
        while stalls.try_recv().is_ok() {}
    }
    assert!(read > AHEAD, "the server went on");
    drop(client);
    let report = proxied.report().await;
    assert_eq!(report.end, End::ClientLeft);
}
