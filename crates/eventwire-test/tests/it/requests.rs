//! What the server makes of requests.

use std::io::{Read, Write};
use std::thread;
use std::time::Duration;

use eventwire_test::{Script, TestServer};

use crate::raw_reader::{PATIENCE, RawEnd, connect, exchange, get, read};

#[test]
fn what_was_asked() {
    let server = TestServer::new().answers([Script::new(), Script::new(), Script::new()]);
    get(&server.url(), "Last-Event-ID: 7\r\nX-Two: 1\r\nx-two: 2\r\n");
    exchange(&server.url(), "POST /chat?a=b HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello");
    exchange(&server.url(), "PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n");
    let [first, second, third] = &server.requests()[..] else { panic!() };
    assert_eq!(
        (first.method().as_str(), first.uri().path(), first.headers()["last-event-id"].as_bytes()),
        ("GET", "/events", &b"7"[..])
    );
    assert_eq!(first.headers().get_all("x-two").iter().count(), 2);
    assert_eq!(
        (second.method().as_str(), second.uri().to_string().as_str(), &second.body()[..]),
        ("POST", "/chat?a=b", &b"hello"[..])
    );
    assert_eq!(&third.body()[..], b"abcde");
}

const TOO_LARGE: &str = "the request is larger than 65536 bytes for the head, or 16777216 for the body";

#[test]
fn what_is_not_http_is_refused_and_takes_no_answer() {
    let server = TestServer::new().answer(Script::status(204));
    const HEAD: &str = "GET / HTTP/1.1\r\n";
    for (request, what) in [
        ("hello\r\n\r\n", "this is not HTTP/1.1: "),
        ("GET / HTTP/3.0\r\n\r\n", "this is not HTTP/1.1: "),
        (&format!("{HEAD}last-event-id: \x01\r\n\r\n"), "this is not HTTP/1.1: "),
        (&format!("{HEAD}Content-Length: x\r\n\r\n"), "the `Content-Length` is not a number"),
        (&format!("{HEAD}Content-Length: +2\r\n\r\n"), "the `Content-Length` is not a number"),
        (&format!("{HEAD}Content-Length: 99999999999\r\n\r\n"), TOO_LARGE),
        (&format!("{HEAD}Transfer-Encoding: chunked\r\n\r\nx\r\n"), "a chunk is not valid"),
        (&format!("{HEAD}Transfer-Encoding: chunked\r\n\r\n1\r\nabc"), "a chunk is not valid"),
        (&format!("{HEAD}Transfer-Encoding: chunked\r\n\r\n1;{}", "x".repeat(70_000)), TOO_LARGE),
        (&format!("{HEAD}Transfer-Encoding: chunked\r\n\r\n0\r\nx: {}", "y".repeat(70_000)), TOO_LARGE),
        (&format!("{HEAD}Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFF\r\n"), TOO_LARGE),
    ] {
        let raw = exchange(&server.url(), request);
        assert!(raw.head.starts_with("HTTP/1.1 400 "), "{request}");
        assert!(str::from_utf8(&raw.rest).unwrap().starts_with(what), "{raw:?}");
    }
    // A connection without a request, as browsers open them in advance.
    drop(connect(&server.url()));
    assert!(get(&server.url(), "").head.starts_with("HTTP/1.1 204 "));
    assert_eq!(server.requests().len(), 1);
}

/// What follows the request is not read as another one, and does not reset the connection, by which the client would
/// lose what it has not read yet.
#[test]
fn bytes_after_the_request() {
    let server = TestServer::new().answer(Script::new().send("data: a\n\n"));
    let mut socket = connect(&server.url());
    socket.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
    // The server has answered.
    socket.peek(&mut [0]).unwrap();
    socket.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
    thread::sleep(Duration::from_millis(50));
    let raw = read(&mut socket, PATIENCE);
    assert_eq!((raw.chunks(), server.requests().len()), ((vec!["data: a\n\n".to_owned()], true), 1));
    assert_eq!(raw.end, RawEnd::Fin);
}

#[test]
fn a_client_that_asks_before_it_sends_the_body() {
    let server = TestServer::new().answer(Script::status(204));
    let mut socket = connect(&server.url());
    socket.write_all(b"POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n").unwrap();
    let mut seen = [0; 25];
    socket.read_exact(&mut seen).unwrap();
    assert_eq!(&seen, b"HTTP/1.1 100 Continue\r\n\r\n");
    socket.write_all(b"{}").unwrap();
    assert!(read(&mut socket, PATIENCE).head.starts_with("HTTP/1.1 204 "));
    assert_eq!(&server.requests()[0].body()[..], b"{}");
}
