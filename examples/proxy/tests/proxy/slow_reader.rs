//! A client that reads slowly slows the server down.

use std::io::{self, ErrorKind, Write};
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
    let report = proxied.report().await;
    assert_eq!(report.end, End::ClientLeft);
}
