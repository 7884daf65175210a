//! Connections in memory, whose time is tokio's.

use std::time::Duration;

use bytes::Bytes;
use eventwire::Event;
use eventwire_test::{End, Script, TestServer};
use http_body_util::{BodyExt, Empty};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::{Instant, timeout};

const MINUTE: Duration = Duration::from_secs(60);

/// Opens a connection of hyper.
async fn client(server: &TestServer) -> SendRequest<Empty<Bytes>> {
    let (client, connection) = handshake(TokioIo::new(server.connect())).await.unwrap();
    tokio::spawn(connection);
    client
}

fn request() -> http::Request<Empty<Bytes>> {
    http::Request::get("/events").header("host", "localhost").body(Empty::new()).unwrap()
}

#[tokio::test(start_paused = true)]
async fn chunks_arrive_at_their_times() {
    let script =
        Script::events([Event::new("a")]).wait(MINUTE).send("data: ").wait(2 * MINUTE).send("b\n\n").wait(MINUTE);
    let server = TestServer::new().answer(script);
    let begun = Instant::now();
    let mut body = client(&server).await.send_request(request()).await.unwrap().into_body();
    let mut seen = Vec::new();
    while let Some(frame) = body.frame().await {
        let bytes = frame.unwrap().into_data().unwrap();
        seen.push((String::from_utf8(bytes.to_vec()).unwrap(), begun.elapsed().as_secs()));
    }
    let expected = [("data: a\n\n", 0), ("data: ", 60), ("b\n\n", 180)];
    assert_eq!(seen, expected.map(|(text, time)| (text.to_owned(), time)));
    assert_eq!(begun.elapsed(), 4 * MINUTE);
    assert_eq!(server.requests()[0].uri().path(), "/events");
}

#[tokio::test(start_paused = true)]
async fn each_end() {
    for (end, expected) in
        [(End::Complete, Some(true)), (End::Close, Some(false)), (End::Reset, Some(false)), (End::Stall, None)]
    {
        let server = TestServer::new().answer(Script::events([Event::new("a")]).wait(MINUTE).with_end(end));
        let body = client(&server).await.send_request(request()).await.unwrap().into_body();
        let result = timeout(10 * MINUTE, body.collect()).await;
        assert_eq!(result.ok().map(|body| body.is_ok()), expected, "{end:?}");
    }
}

#[tokio::test]
async fn a_reset_is_an_error_and_a_close_is_none() {
    for (end, expected) in [(End::Close, None), (End::Reset, Some(std::io::ErrorKind::ConnectionReset))] {
        let server = TestServer::new().answer(Script::raw("x").with_end(end));
        let mut connection = server.connect();
        connection.write_all(b"GET / HTTP/1.1\r\n\r\n").await.unwrap();
        let mut seen = Vec::new();
        let error = connection.read_to_end(&mut seen).await.err().map(|error| error.kind());
        assert_eq!((&seen[..], error), (&b"x"[..], expected));
    }
}

/// The requests of both kinds of connections are in one list, and take the same answers.
#[tokio::test]
async fn beside_a_socket() {
    let server = TestServer::new().answer(Script::status(201)).answer(Script::status(202));
    let response = client(&server).await.send_request(request()).await.unwrap();
    assert_eq!(response.status(), 201);
    assert!(crate::raw_reader::get(&server.url(), "").head.starts_with("HTTP/1.1 202 "));
    let response = client(&server).await.send_request(request()).await.unwrap();
    assert_eq!((response.status().as_u16(), server.requests().len()), (500, 3));
}

/// Who reads before there is a request is woken by it.
#[tokio::test]
async fn reading_before_asking() {
    let server = TestServer::new().answer(Script::raw("x"));
    let (mut reader, mut writer) = tokio::io::split(server.connect());
    let reading = tokio::spawn(async move { reader.read_u8().await.unwrap() });
    tokio::task::yield_now().await;
    writer.write_all(b"GET / HTTP/1.1\r\n").await.unwrap();
    tokio::task::yield_now().await;
    writer.write_all(b"\r\n").await.unwrap();
    assert_eq!(reading.await.unwrap(), b'x');
}

/// Each byte may arrive alone.
#[tokio::test]
async fn a_request_in_pieces() {
    for request in [
        "POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello",
        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    ] {
        let server = TestServer::new().answer(Script::status(204));
        let mut connection = server.connect();
        for byte in request.as_bytes() {
            assert_eq!(server.requests().len(), 0, "{request}");
            connection.write_all(&[*byte]).await.unwrap();
        }
        assert_eq!(&server.requests()[0].body()[..], b"hello");
    }
}

/// As over TCP.
#[tokio::test]
async fn what_is_no_request() {
    let long = format!("GET / HTTP/1.1\r\nx: {}", "y".repeat(70_000));
    for (bytes, what) in [("hello\r\n\r\n", "this is not HTTP/1.1: "), (&long, "the request is larger than ")] {
        let server = TestServer::new();
        let mut connection = server.connect();
        connection.write_all(bytes.as_bytes()).await.unwrap();
        let mut answer = String::new();
        connection.read_to_string(&mut answer).await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 400 ") && answer.contains(what), "{answer}");
        assert_eq!(server.requests().len(), 0);
    }
    // A client that leaves before it has asked.
    let server = TestServer::new();
    let mut connection = server.connect();
    connection.write_all(b"GET / HT").await.unwrap();
    connection.shutdown().await.unwrap();
    assert_eq!(connection.read_to_end(&mut Vec::new()).await.unwrap(), 0);
}
