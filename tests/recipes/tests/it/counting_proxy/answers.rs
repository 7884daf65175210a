//! What the client gets, and what is logged of it.

use super::{Proxied, answers, chunked, send, text, token, whole};
use eventwire_test_support::{Script, serve};
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
    let byte_by_byte = chunked(STREAM.as_bytes().chunks(1)).chain([b"0\r\n\r\n".to_vec()]).collect();
    for writes in [whole(STREAM), byte_by_byte] {
        let (upstream, _head) = answers(writes);
        let mut proxied = Proxied::before(&upstream);
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
    let upstream = serve(move |_, mut client| {
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

/// The program is stopped when it is dropped.
async fn answered(answer: &[u8]) -> (reqwest::Response, Proxied) {
    let (upstream, _head) = answers(vec![answer.to_vec()]);
    let proxied = Proxied::before(&upstream);
    (proxied.get("/").await, proxied)
}

#[tokio::test]
async fn the_headers_of_an_answer() {
    let (response, _proxied) = answered(
        b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nCache-Control: no-store\r\nSet-Cookie: a\r\n\
        Set-Cookie: b\r\nX-Request-Id: 7\r\nContent-Length: 13\r\nKeep-Alive: timeout=5\r\nConnection: x-secret\r\n\
        X-Secret: 1\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n\r\n: \n\ndata: 1\n\n",
    )
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
    for status in
        ["400 Bad Request", "401 Unauthorized", "429 Too Many Requests", "500 Internal Server Error", "529 Busy"]
    {
        let head = format!("Content-Type: application/json\r\nRetry-After: 7\r\nContent-Length: {}", body.len());
        let (response, _proxied) = answered(format!("HTTP/1.1 {status}\r\n{head}\r\n\r\n{body}").as_bytes()).await;
        assert_eq!(response.status().as_str(), &status[..3]);
        assert_eq!(response.headers()["retry-after"], "7");
        assert_eq!(response.headers()["content-type"], "application/json");
        assert_eq!(text(response).await, body);
    }
}

#[tokio::test]
async fn what_is_no_stream_passes() {
    let bytes = b": \n\n\xFF\x00data: x";
    for head in ["200 OK\r\nContent-Type: audio/mpeg", "206 Partial\r\nX: 1"] {
        let head = format!("HTTP/1.1 {head}\r\nContent-Length: {}\r\n\r\n", bytes.len());
        let (response, _proxied) = answered(&[head.as_bytes(), bytes].concat()).await;
        assert_eq!(response.status().as_str(), &head[9..12]);
        assert_eq!(response.bytes().await.unwrap(), &bytes[..]);
    }
    let (moved, _proxied) =
        answered(b"HTTP/1.1 307 Temporary Redirect\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n").await;
    assert_eq!((moved.status().as_u16(), &moved.headers()["location"]), (307, &"/elsewhere".parse().unwrap()));
}

/// hyper drops a body that is empty at once. An empty stream is not logged as a client that left.
#[tokio::test]
async fn only_streams_are_logged() {
    const STREAM: &str = "Content-Type: text/event-stream";
    for (method, status, header) in [
        (Method::GET, "204 No Content", STREAM),
        (Method::GET, "304 Not Modified", STREAM),
        (Method::GET, "503 Service Unavailable", "Content-Type: text/event-stream\r\nContent-Length: 0"),
        (Method::HEAD, "200 OK", STREAM),
        (Method::GET, "200 OK", "Content-Type: application/json\r\nContent-Length: 0"),
    ] {
        let first = format!("HTTP/1.1 {status}\r\n{header}\r\nConnection: close\r\nX-Request-Id: 7\r\n\r\n");
        let second = format!("HTTP/1.1 200 OK\r\n{STREAM}\r\n\r\ndata: [DONE]\n\n");
        let upstream = Script::new(&[&first, &second]);
        let mut proxied = Proxied::before(&upstream.url);
        let response = send(proxied.request(method.clone(), "/first")).await;
        assert_eq!(
            (response.status().as_str(), &response.headers()["x-request-id"]),
            (&status[..3], &"7".parse().unwrap())
        );
        assert_eq!(text(response).await, "");
        if header.contains(STREAM) {
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
    let head =
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Encoding: gzip\r\nContent-Length: 8\r\n\r\n";
    let (upstream, _head) = answers(vec![[head.as_bytes(), body].concat()]);
    let mut proxied = Proxied::before(&upstream);
    let response = proxied.get("/").await;
    assert_eq!(response.headers()["content-encoding"], "gzip");
    assert_eq!(response.bytes().await.unwrap(), &body[..]);
    let line = proxied.logged().await;
    assert!(line.starts_with("GET /: not counted: the body is compressed with gzip, "), "{line}");
}
