//! What the server gets.

use super::{CHAT, Proxied, send, text};
use crate::serve_routes;
use axum::http::{HeaderValue, Uri};
use eventwire_test::{Script, TestServer};
use reqwest::Method;
use std::{
    io::{Read, Write},
    net::TcpStream,
};

/// Returns the headers of the request that the server received, in lower case and sorted.
fn headers(server: &TestServer) -> Vec<String> {
    let requests = server.requests();
    let [request] = &requests[..] else { panic!("{requests:?}") };
    let lines = request.headers().iter().map(|(name, value)| format!("{name}: {}", value.to_str().unwrap()));
    let mut lines: Vec<_> = lines.map(|line| line.to_ascii_lowercase()).collect();
    lines.sort();
    lines
}

#[tokio::test]
async fn headers_of_one_connection_are_not_passed_on() {
    let upstream = TestServer::new().answer(Script::new());
    let proxied = Proxied::before(&upstream.url());
    let request = proxied
        .request(Method::POST, "/v1/x")
        .header("authorization", "Bearer sesame")
        .header("x-two", "1")
        .header("x-two", "2")
        .header("last-event-id", "7")
        .header("accept", "text/event-stream")
        .header("accept-encoding", "gzip, br")
        .header("connection", "keep-alive, X-Secret")
        // Obsolete text in a header is not ASCII. The other names in it still count.
        .header("connection", HeaderValue::from_bytes(b"\xE9, x-accent ,").unwrap())
        .header("x-secret", "of this connection")
        .header("x-accent", "of this connection")
        .header("keep-alive", "timeout=5")
        .header("te", "trailers")
        .header("proxy-authorization", "Basic x")
        .header("upgrade", "h2c")
        .header("range", "bytes=0-45")
        .body("{ }");
    text(send(request).await).await;
    let expected = [
        "accept: text/event-stream",
        "authorization: bearer sesame",
        "content-length: 3",
        &format!("host: {}", upstream.url().split('/').nth(2).unwrap()),
        "last-event-id: 7",
        "range: bytes=0-45",
        "x-two: 1",
        "x-two: 2",
    ];
    assert_eq!(headers(&upstream), expected);
}

#[tokio::test]
async fn method_path_query_and_body() {
    let echo = async |method: Method, uri: Uri, body: String| format!("{method} {uri} {body}");
    let upstream = serve_routes(axum::Router::new().fallback(echo)).await;
    let proxied = Proxied::before(&upstream);
    let body = "é".repeat(1 << 19);
    for (method, path, body) in [
        (Method::GET, "/", ""),
        (Method::GET, "/v1/models?limit=1&after=a%20b+c&x", ""),
        (Method::POST, "/v1/chat%2Fx//y", body.as_str()),
        (Method::POST, "//host/x", ""),
        (Method::DELETE, "/v1/files/7", ""),
        (Method::from_bytes(b"QUERY").unwrap(), "/v1", "{}"),
    ] {
        let response = send(proxied.request(method.clone(), path).body(body.to_owned())).await;
        assert_eq!(text(response).await, format!("{method} {path} {body}"));
    }
}

/// None leads to another server or path, or opens a tunnel.
#[tokio::test]
async fn requests_that_name_another_server() {
    let upstream = TestServer::new().answer(Script::new().send("data: x\n\n"));
    let proxied = Proxied::before(&upstream.url());
    let answer = raw(&proxied.url, "GET http://elsewhere.invalid/v1 HTTP/1.1");
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    assert_eq!(upstream.requests()[0].uri(), "/v1");
    let answer = raw(&proxied.url, "CONNECT elsewhere.invalid:80 HTTP/1.1");
    assert!(!answer.starts_with("HTTP/1.1 2"), "{answer}");
    // As a URL, these are the path `/admin`.
    for path in ["/v1/../admin", "/v1/%2e%2E/admin", "/v1/..\\admin"] {
        let answer = raw(&proxied.url, &format!("GET {path} HTTP/1.1"));
        assert!(answer.starts_with("HTTP/1.1 400 "), "{path}: {answer}");
    }
    assert_eq!(upstream.requests().len(), 1);
}

/// Returns the answer of the proxy at this URL to this request line.
fn raw(url: &str, line: &str) -> String {
    let mut connection = TcpStream::connect(url.strip_prefix("http://").unwrap()).unwrap();
    connection.write_all(format!("{line}\r\nHost: a\r\nConnection: close\r\n\r\n").as_bytes()).unwrap();
    let mut answer = String::new();
    connection.read_to_string(&mut answer).unwrap();
    answer
}

/// The question may be large, because it contains the images of a conversation.
#[tokio::test]
async fn a_body_over_the_limit_is_refused() {
    let proxied = Proxied::before("http://127.0.0.1:1");
    let response = send(proxied.request(Method::POST, CHAT).body(vec![b' '; (64 << 20) + 1])).await;
    assert_eq!(response.status(), 413);
}
