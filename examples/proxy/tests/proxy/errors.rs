//! Errors of the server, and errors of the proxy.

use std::net::{TcpListener, TcpStream};

use reqwest::{Method, Response};
use serde_json::{Value, json};

use crate::proxied::{CHAT, Proxied, answers, send, text};

/// Checks an error of the proxy, in the form that OpenAI's clients understand.
async fn is_own(response: Response, status: u16, kind: &str, code: &str) {
    assert_eq!(
        (response.status().as_u16(), &response.headers()["content-type"]),
        (status, &"application/json".parse().unwrap())
    );
    let mut body: Value = serde_json::from_str(&text(response).await).unwrap();
    let message = body["error"]["message"].take();
    assert!(message.as_str().is_some_and(|message| message.ends_with('.')), "{message}");
    assert_eq!(body, json!({ "error": { "message": null, "type": kind, "param": null, "code": code } }));
}

#[tokio::test]
async fn a_server_that_is_not_there() {
    // Nothing listens on the local port of a connection, and no other process can get it in the meantime.
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let connection = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let mut proxied = Proxied::before(&format!("http://{}", connection.local_addr().unwrap())).await;
    for _ in 0..3 {
        let response = send(proxied.request(Method::POST, CHAT).body("{\"stream\":true}")).await;
        is_own(response, 502, "server_error", "upstream_unreachable").await;
    }
    assert!(proxied.has_no_report());
}

#[tokio::test]
async fn a_server_that_closes_without_an_answer() {
    for half in ["", "HTTP/1.1 200 OK\r\nContent-"] {
        let (upstream, _head) = answers(vec![half.into()]);
        let response = Proxied::before(&upstream).await.get(CHAT).await;
        is_own(response, 502, "server_error", "upstream_failed").await;
    }
}

#[tokio::test]
async fn json_that_is_cut_off() {
    let half = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"model\":";
    let (upstream, _head) = answers(vec![half.into()]);
    is_own(Proxied::before(&upstream).await.get(CHAT).await, 502, "server_error", "upstream_failed").await;
}

#[tokio::test]
async fn errors_of_the_server_pass() {
    let body = "{ \"error\": {\"message\":\"slow down\",\"type\":\"x\",\"param\":\"model\",\"code\":null}}\n";
    for status in
        ["400 Bad Request", "401 Unauthorized", "429 Too Many Requests", "500 Internal Server Error", "529 Busy"]
    {
        let head = format!("Content-Type: application/json\r\nRetry-After: 7\r\nContent-Length: {}", body.len());
        let (upstream, _head) = answers(vec![format!("HTTP/1.1 {status}\r\n{head}\r\n\r\n{body}").into()]);
        let response = Proxied::before(&upstream).await.get(CHAT).await;
        assert_eq!(response.status().as_str(), &status[..3]);
        assert_eq!(response.headers()["retry-after"], "7");
        assert_eq!(text(response).await, body);
    }
}

#[tokio::test]
async fn requests_that_cannot_be_forwarded() {
    let (upstream, _head) = answers(Vec::new());
    let proxied = Proxied::before(&format!("{upstream}/api")).await;
    // reqwest resolves `..` itself.
    for (line, status) in
        [("GET /../admin HTTP/1.1", "400"), ("GET /%2e%2e/apix HTTP/1.1", "400"), ("CONNECT a:80 HTTP/1.1", "405")]
    {
        let answer = raw(&proxied.url, line).await;
        assert_eq!(answer.split(' ').nth(1), Some(status), "{line}: {answer}");
    }
    let too_large = proxied.request(Method::POST, CHAT).body(vec![b' '; (64 << 20) + 1]);
    is_own(send(too_large).await, 413, "invalid_request_error", "request_too_large").await;
}

/// Returns the answer of the proxy at this URL to this request line.
async fn raw(url: &str, line: &str) -> String {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let mut connection = tokio::net::TcpStream::connect(url.strip_prefix("http://").unwrap()).await.unwrap();
    connection.write_all(format!("{line}\r\nHost: a\r\nConnection: close\r\n\r\n").as_bytes()).await.unwrap();
    let mut answer = String::new();
    connection.read_to_string(&mut answer).await.unwrap();
    answer
}
