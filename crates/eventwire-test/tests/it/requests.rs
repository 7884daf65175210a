//! What the server makes of requests.

use std::io::Write;
use std::time::Duration;

use eventwire_test::{Script, TestServer};

use crate::raw_reader::{connect, exchange, get, read};

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

/// Each byte may arrive alone.
#[test]
fn a_request_in_pieces() {
    for request in [
        "POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello",
        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    ] {
        let server = TestServer::new().answer(Script::status(204));
        let mut socket = connect(&server.url());
        socket.set_nodelay(true).unwrap();
        for byte in request.as_bytes() {
            socket.write_all(&[*byte]).unwrap();
        }
        assert!(read(&mut socket, Duration::from_secs(10)).head.starts_with("HTTP/1.1 204 "));
        assert_eq!(&server.requests()[0].body()[..], b"hello");
    }
}

#[test]
fn what_is_not_http_is_refused_and_takes_no_answer() {
    let server = TestServer::new().answer(Script::status(204));
    for request in [
        "hello\r\n\r\n",
        "GET / HTTP/3.0\r\n\r\n",
        "GET / HTTP/1.1\r\nContent-Length: x\r\n\r\n",
        "GET / HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n",
        "GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
        "GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFF\r\n",
    ] {
        assert!(exchange(&server.url(), request).head.starts_with("HTTP/1.1 400 "), "{request}");
    }
    // A connection without a request, as browsers open them in advance.
    drop(connect(&server.url()));
    assert!(get(&server.url(), "").head.starts_with("HTTP/1.1 204 "));
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn a_head_that_does_not_end() {
    let server = TestServer::new();
    let mut socket = connect(&server.url());
    let _ = socket.write_all(b"GET / HTTP/1.1\r\n");
    // The server may have closed the connection before all is written.
    let _ = socket.write_all(format!("x: {}\r\n", "y".repeat(200_000)).as_bytes());
    let _ = read(&mut socket, Duration::from_secs(10));
    assert!(server.requests().is_empty());
}
