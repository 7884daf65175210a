//! Requests that do not get the stream.

use crate::CHAT;
use crate::server::Server;

#[test]
fn a_foreign_host() {
    let mut server = Server::chat(&[]);
    for host in [
        "evil.example",
        "evil.example:8080",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "xlocalhost",
        "",
        "[",
        "a b",
    ] {
        let answer = server.ask(&format!("GET / HTTP/1.1\r\nHost: {host}\r\n\r\n"));
        assert_eq!(answer.status(), 421, "{host:?}");
        assert_eq!(answer.body(), b"this server answers only to IP addresses, localhost and the host of --listen\n");
        let line = server.line();
        assert!(line.ends_with(&format!("; foreign Host {host:?}")), "{line}");
    }
    for host in
        ["localhost", "LocalHost:1", "app.localhost", "127.0.0.1", "192.168.0.1:8080", "[::1]:8080", "[fe80::1]"]
    {
        let answer = server.ask(&format!("GET / HTTP/1.1\r\nHost: {host}\r\n\r\n"));
        assert_eq!(answer.status(), 200, "{host:?}");
    }
    // Whoever sends none is no browser.
    assert_eq!(server.ask("GET / HTTP/1.0\r\n\r\n").status(), 200);
    // The second, and that of the target.
    let two = server.ask("GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n");
    let target = server.ask("GET http://evil.example/ HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert_eq!((two.status(), target.status()), (421, 421));
    // Not even to ask who may read it.
    assert_eq!(server.ask("OPTIONS / HTTP/1.1\r\nHost: evil.example\r\n\r\n").status(), 421);
}

#[test]
fn methods() {
    let server = Server::chat(&["--times", "1", "--status", "503"]);
    for method in ["PUT", "DELETE", "OPTIONS", "get", "TRACE"] {
        let answer = server.ask(&format!("{method} / HTTP/1.1\r\nHost: localhost\r\n\r\n"));
        assert_eq!((answer.status(), answer.header("allow")), (405, vec!["GET, HEAD, POST".to_owned()]), "{method}");
    }
    // None of them was a connection that is counted.
    assert_eq!(server.get("/").status(), 503);
    server.get("/").is(CHAT);
}

#[test]
fn what_is_not_http() {
    let mut server = Server::chat(&[]);
    let answer = server.ask("\x16\x03\x01\x02\0\x01\0\x01\r\n\r\n");
    assert_eq!(answer.status(), 400);
    assert!(server.line().starts_with("1: 400, 0 events, 0 bytes, complete; this is not HTTP/1.1: "));
    // A connection without a request is not one.
    drop(server.send("GET / HT"));
    server.get("/").is(CHAT);
    assert!(server.line().starts_with("2 GET /: 200, "));
}
