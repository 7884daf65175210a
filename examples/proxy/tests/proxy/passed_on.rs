//! Methods, paths, headers and bodies.

use std::sync::mpsc::Receiver;

use reqwest::Method;
use reqwest::header::HeaderMap;

use crate::proxied::{Proxied, answers, axum, send, text, whole};

/// Returns the lines of the head of a request that the server received, except the first, in lower case and sorted.
fn headers(head: &Receiver<String>) -> Vec<String> {
    let head = head.recv().unwrap().to_ascii_lowercase();
    let mut lines: Vec<_> = head.trim_end().split("\r\n").skip(1).map(str::to_owned).collect();
    lines.sort();
    lines
}

#[tokio::test]
async fn the_headers_of_a_request() {
    let (upstream, head) = answers(whole(""));
    let proxied = Proxied::before(&upstream).await;
    let request = proxied
        .request(Method::POST, "/v1/x")
        .header("authorization", "Bearer sesame")
        .header("x-two", "1")
        .header("x-two", "2")
        .header("last-event-id", "7")
        .header("accept", "text/event-stream")
        .header("accept-encoding", "gzip, br")
        .header("connection", "keep-alive, X-Secret")
        .header("x-secret", "of this connection")
        .header("keep-alive", "timeout=5")
        .header("te", "trailers")
        .header("proxy-authorization", "Basic x")
        .header("upgrade", "h2c")
        .header("expect", "100-continue")
        .header("range", "bytes=0-45")
        .header("if-range", "\"x\"")
        .body("{ }");
    text(send(request).await).await;
    let expected = [
        "accept-encoding: identity",
        "accept: text/event-stream",
        "authorization: bearer sesame",
        "content-length: 3",
        &format!("host: {}", upstream.strip_prefix("http://").unwrap()),
        "last-event-id: 7",
        "via: 1.1 proxy",
        "x-two: 1",
        "x-two: 2",
    ];
    assert_eq!(headers(&head), expected);
}

#[tokio::test]
async fn the_headers_of_an_answer() {
    let head = "HTTP/1.1 201 Created\r\nContent-Type: Text/Event-Stream; charset=utf-8\r\nCache-Control: no-store\r\nSet-Cookie: a\r\n\
        Set-Cookie: b\r\nX-Request-Id: 7\r\nETag: \"x\"\r\nContent-Length: 12\r\nKeep-Alive: timeout=5\r\nConnection: x-secret\r\n\
        X-Secret: 1\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n\r\n: \n\ndata: 1\n\n";
    let (upstream, _head) = answers(vec![head.replace("Content-Length: 12", "Content-Length: 13").into()]);
    let response = Proxied::before(&upstream).await.get("/").await;
    assert_eq!(response.status(), 201);
    assert_eq!(
        sorted(response.headers()),
        [
            "cache-control: no-store",
            "content-type: Text/Event-Stream; charset=utf-8",
            "date: Sun, 06 Nov 1994 08:49:37 GMT",
            "set-cookie: a",
            "set-cookie: b",
            "transfer-encoding: chunked",
            "x-request-id: 7",
        ]
    );
    assert_eq!(text(response).await, "data: 1\n\n");
}

fn sorted(headers: &HeaderMap) -> Vec<String> {
    let mut lines: Vec<_> =
        headers.iter().map(|(name, value)| format!("{name}: {}", value.to_str().unwrap())).collect();
    lines.sort();
    lines
}

#[tokio::test]
async fn method_path_query_and_body() {
    let echo = async |method: Method, uri: axum::http::Uri, body: String| format!("{method} {uri} {body}");
    let upstream = axum(axum::Router::new().fallback(echo)).await;
    let proxied = Proxied::before(&format!("{upstream}/api/")).await;
    let body = "é".repeat(1 << 20);
    for (method, path, body) in [
        (Method::GET, "/", ""),
        (Method::GET, "/v1/models?limit=1&after=a%20b+c&x", ""),
        (Method::POST, "/v1/chat%2Fx//y", body.as_str()),
        (Method::POST, "/", ""),
        (Method::DELETE, "/v1/files/7", ""),
        (Method::from_bytes(b"QUERY").unwrap(), "/v1", "{}"),
    ] {
        let response = send(proxied.request(method.clone(), path).body(body.to_owned())).await;
        assert_eq!(text(response).await, format!("{method} /api{path} {body}"));
    }
    let response = send(proxied.request(Method::HEAD, "/v1")).await;
    assert_eq!((response.status().as_u16(), &response.headers()["content-length"]), (200, &"13".parse().unwrap()));
}

async fn answered(answer: &[u8]) -> reqwest::Response {
    let (upstream, _head) = answers(vec![answer.to_vec()]);
    Proxied::before(&upstream).await.get("/").await
}

#[tokio::test]
async fn json_has_the_other_name() {
    let head = "HTTP/1.1 200 OK\r\nETag: \"x\"\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ";
    let json = "{ \"n\": 1.0, \"model\": \"small-2\" }\n";
    let response = answered(format!("{head}{}\r\n\r\n{json}", json.len()).as_bytes()).await;
    assert_eq!((response.content_length(), response.headers().contains_key("etag")), (Some(30), false));
    assert_eq!(text(response).await, json.replace("small-2", "ours"));
    // There is nothing to change.
    let list = "{ \"object\": \"list\", \"data\": [{ \"id\": \"small-2\" }] }";
    let response = answered(format!("{head}{}\r\n\r\n{list}", list.len()).as_bytes()).await;
    assert!(response.headers().contains_key("etag"));
    assert_eq!(text(response).await, list);
    // Too large to be changed.
    let large = format!("{json}{}", " ".repeat(17 << 20));
    let response = answered(format!("{head}{}\r\n\r\n{large}", large.len()).as_bytes()).await;
    assert_eq!(response.content_length(), Some(large.len() as u64));
    assert_eq!(text(response).await, large);
}

/// The range would be wrong for a body that is changed.
#[tokio::test]
async fn a_part_is_never_changed() {
    let json = "{\"model\":\"small-2\"}";
    let stream = ": a comment\n\ndata: {\"model\":\"small-2\"}\n\n";
    for (media_type, body) in [("application/json", json), ("text/event-stream", stream)] {
        let range = format!("bytes 0-{}/{}", body.len() - 1, body.len());
        let head = format!("Content-Type: {media_type}\r\nContent-Range: {range}\r\nContent-Length: {}", body.len());
        let response = answered(format!("HTTP/1.1 206 Partial Content\r\n{head}\r\n\r\n{body}").as_bytes()).await;
        assert_eq!((response.status().as_u16(), response.content_length()), (206, Some(body.len() as u64)));
        assert_eq!(response.headers()["content-range"], range);
        assert_eq!(text(response).await, body);
    }
}

/// The proxy does not request ranges, so it must not offer them.
#[tokio::test]
async fn ranges_are_not_offered() {
    let head = "Content-Type: audio/mpeg\r\nAccept-Ranges: bytes\r\nContent-Length: 1";
    let response = answered(format!("HTTP/1.1 200 OK\r\n{head}\r\n\r\nx").as_bytes()).await;
    assert_eq!((response.headers().get("accept-ranges"), response.content_length()), (None, Some(1)));
}

#[tokio::test]
async fn what_is_neither_json_nor_a_stream() {
    let bytes = b": \n\n\xFF\x00\"model\":\"small-2\"";
    for head in ["Content-Type: audio/mpeg", "Content-Type: text/event-stream\r\nContent-Encoding: br", "X: 1"] {
        let head = format!("HTTP/1.1 200 OK\r\n{head}\r\nContent-Length: {}\r\n\r\n", bytes.len());
        let response = answered(&[head.as_bytes(), bytes].concat()).await;
        assert_eq!(response.content_length(), Some(bytes.len() as u64));
        assert_eq!(response.bytes().await.unwrap(), &bytes[..]);
    }
    let moved = answered(b"HTTP/1.1 307 Temporary Redirect\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n").await;
    assert_eq!((moved.status().as_u16(), &moved.headers()["location"]), (307, &"/elsewhere".parse().unwrap()));
}
