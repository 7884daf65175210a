//! What the client gets, and what is logged of it.

use super::{Proxied, send, text, token};
use eventwire_test::{Script, TestServer};
use eventwire_test_support::by_hand;
use reqwest::Method;
use std::{io::Write, sync::mpsc};

/// All kinds of line ends, comments between and within events, an ID, a `retry`, unknown fields and other events. Two
/// of them are tokens: one of a chat in several lines, and one of a completion.
const STREAM: &str = concat!(
    ": connected\n\nretry: 1500\n\n",
    "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n",
    "id: 7\r\nevent: chunk\r\ndata: {\"choices\": [ {\r\ndata: \"delta\":{\"content\":\"\\/ é🦀\"}}]}\r\n\r\n",
    ": keep-alive\r\n\r\n",
    "data:{\"choices\":[{\"text\":\"b\",\"finish_reason\":null}]}\n: within\n\n",
    "x-unknown: 1\rdata: {\"choices\":[{\"delta\":{\"content\":7}}],\"usage\":null}\r\r",
    "event: heartbeat\n\n",
    "data:  not JSON \n\ndata: 7\n\n",
    "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":2,\"\u{9b}\":1}}\n\n",
    "data: [DONE]\n\n",
    "event: statistics\ndata: {}\n\ndata: unfinished",
);

#[tokio::test]
async fn a_stream_is_unchanged_and_counted() {
    let answer = Script::new().send(STREAM);
    for answer in [answer.clone(), answer.chunks_of(1)] {
        let upstream = TestServer::new().answer(answer);
        let mut proxied = Proxied::before(&upstream.url());
        let response = proxied.get("/v1/x?api_key=secret").await;
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        assert_eq!(text(response).await, STREAM);
        let line = "GET /v1/x: complete, tokens 2, usage {\"completion_tokens\":2,\"prompt_tokens\":7,\"?\":1}";
        assert_eq!(proxied.logged().await, line);
    }
}

/// Each event is sent only after the client has received the one before it.
#[tokio::test]
async fn an_event_is_passed_on_at_once() {
    let (go, wait) = mpsc::channel::<String>();
    let upstream = by_hand(move |mut client| {
        client.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n").unwrap();
        wait.iter().for_each(|event| client.write_all(event.as_bytes()).unwrap());
    });
    let proxied = Proxied::before(&upstream);
    let mut response = proxied.get("/").await;
    for event in [token("a"), ": comment\n".into(), "data: half".into(), token("b")] {
        go.send(event.clone()).unwrap();
        assert_eq!(crate::patiently(response.chunk()).await.unwrap().unwrap(), event);
    }
}

/// The program and the server are stopped when they are dropped.
async fn answered(answer: Script) -> (reqwest::Response, (Proxied, TestServer)) {
    let upstream = TestServer::new().answer(answer);
    let proxied = Proxied::before(&upstream.url());
    (proxied.get("/").await, (proxied, upstream))
}

#[tokio::test]
async fn the_headers_of_an_answer() {
    let (response, _running) = answered(Script::raw(
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nCache-Control: no-store\r\nSet-Cookie: a\r\n\
        Set-Cookie: b\r\nX-Request-Id: 7\r\nContent-Length: 13\r\nKeep-Alive: timeout=5\r\nConnection: x-secret\r\n\
        X-Secret: 1\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n\r\n: \n\ndata: 1\n\n",
    ))
    .await;
    let mut lines: Vec<_> =
        response.headers().iter().map(|(name, value)| format!("{name}: {}", value.to_str().unwrap())).collect();
    lines.sort();
    assert_eq!(
        lines,
        [
            "cache-control: no-store",
            "content-length: 13",
            "content-type: text/event-stream; charset=utf-8",
            "date: Sun, 06 Nov 1994 08:49:37 GMT",
            "set-cookie: a",
            "set-cookie: b",
            "x-request-id: 7",
        ]
    );
    assert_eq!(text(response).await, ": \n\ndata: 1\n\n");
}

#[tokio::test]
async fn errors_of_the_server_pass() {
    let body = "{ \"error\": {\"message\":\"slow down\",\"type\":\"x\",\"param\":\"model\",\"code\":null}}\n";
    for status in [400, 401, 429, 500, 529] {
        let answer = Script::status(status).header("content-type", "application/json").header("retry-after", "7");
        let (response, _running) = answered(answer.header("content-length", body.len().to_string()).send(body)).await;
        assert_eq!(response.status(), status);
        assert_eq!(response.headers()["retry-after"], "7");
        assert_eq!(response.headers()["content-type"], "application/json");
        assert_eq!(text(response).await, body);
    }
}

#[tokio::test]
async fn what_is_no_stream_passes() {
    let bytes = b": \n\n\xFF\x00data: x";
    for (status, name, value) in [(200, "content-type", "audio/mpeg"), (206, "x", "1")] {
        let answer = Script::status(status).header(name, value).header("content-length", bytes.len().to_string());
        let (response, _running) = answered(answer.send(&bytes[..])).await;
        assert_eq!(response.status(), status);
        assert_eq!(response.bytes().await.unwrap(), &bytes[..]);
    }
    let (moved, _running) = answered(Script::status(307).header("location", "/elsewhere")).await;
    assert_eq!((moved.status().as_u16(), &moved.headers()["location"]), (307, &"/elsewhere".parse().unwrap()));
}

/// hyper drops a body that is empty at once. An empty stream is not logged as a client that left.
#[tokio::test]
async fn only_streams_are_logged() {
    let answer = |status, content_type| Script::status(status).header("content-type", content_type);
    let stream = |status| answer(status, "text/event-stream");
    for (method, status, is_stream, first) in [
        (Method::GET, 204, true, stream(204)),
        (Method::GET, 304, true, stream(304)),
        (Method::GET, 503, true, stream(503).header("content-length", "0")),
        (Method::HEAD, 200, true, stream(200)),
        (Method::GET, 200, false, answer(200, "application/json").header("content-length", "0")),
    ] {
        let second = Script::new().send("data: [DONE]\n\n");
        let upstream = TestServer::new().answers([first.header("x-request-id", "7"), second]);
        let mut proxied = Proxied::before(&upstream.url());
        let response = send(proxied.request(method.clone(), "/first")).await;
        assert_eq!(response.status(), status);
        assert_eq!(response.headers()["x-request-id"], "7");
        assert_eq!(text(response).await, "");
        if is_stream {
            let line = format!("{method} /first: ended without [DONE], tokens 0, usage null");
            assert_eq!(proxied.logged().await, line, "{status}");
        }
        text(proxied.get("/second").await).await;
        assert_eq!(proxied.logged().await, "GET /second: complete, tokens 0, usage null", "{status}");
    }
}

/// The server does not heed that it was not asked to.
#[tokio::test]
async fn a_compressed_stream_passes_and_the_log_says_that_it_is_not_counted() {
    let body = b"\x1f\x8b\x08\x00gzip";
    let answer = Script::new().header("content-encoding", "gzip").header("content-length", "8").send(&body[..]);
    let upstream = TestServer::new().answer(answer);
    let mut proxied = Proxied::before(&upstream.url());
    let response = proxied.get("/").await;
    assert_eq!(response.headers()["content-encoding"], "gzip");
    assert_eq!(response.bytes().await.unwrap(), &body[..]);
    let line = proxied.logged().await;
    assert!(line.starts_with("GET /: not counted: the body is compressed with gzip, "), "{line}");
}
