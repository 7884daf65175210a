//! The report of a stream.

use std::convert::Infallible;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::header::CONTENT_TYPE;
use axum::routing::get;
use futures_util::{StreamExt, stream};
use proxy::{End, Report};
use reqwest::Method;

use crate::proxied::{Proxied, answers, axum, send, text, token, whole};

async fn report_of(body: &str) -> Report {
    let (upstream, _head) = answers(whole(body));
    let mut proxied = Proxied::before(&upstream).await;
    text(proxied.get("/v1/chat/completions?api_key=secret").await).await;
    proxied.report().await
}

#[tokio::test]
async fn tokens_and_usage() {
    let usage = "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":3}}\n\n";
    let role = token("");
    let stream = [": hello\n\n", &role, &token("a"), &token("b "), &token("c"), usage, "data: [DONE]\n\n"].concat();
    let report = report_of(&stream).await;
    assert_eq!((report.tokens, &report.end), (3, &End::Complete));
    let (first, total) = (report.first_token.unwrap(), report.total);
    assert!(first <= total);
    let line = format!(
        "GET /v1/chat/completions 200: complete, tokens 3, first after {first:.1?}, total {total:.1?}, usage 7 + 3"
    );
    assert_eq!(report.to_string(), line);
}

#[tokio::test]
async fn a_stream_without_text_has_no_first_token() {
    let report = report_of(": hello\n\nevent: word\ndata: one\n\n").await;
    assert_eq!((report.tokens, report.first_token, report.usage), (0, None, None));
    assert_eq!(report.end, End::Unmarked);
    let line = format!("GET /v1/chat/completions 200: ended without [DONE], tokens 0, total {:.1?}", report.total);
    assert_eq!(report.to_string(), line);
}

#[tokio::test]
async fn the_time_to_the_first_token_is_from_the_request_to_the_first_text() {
    const PAUSE: Duration = Duration::from_millis(40);
    async fn answer() -> ([(axum::http::HeaderName, &'static str); 1], Body) {
        tokio::time::sleep(PAUSE).await;
        let parts = stream::iter([token(""), token("a"), token("b"), "data: [DONE]\n\n".into()]);
        let paused = parts.then(|part| async {
            tokio::time::sleep(PAUSE).await;
            Ok::<_, Infallible>(part)
        });
        ([(CONTENT_TYPE, "text/event-stream")], Body::from_stream(paused))
    }
    let mut proxied = Proxied::before(&axum(Router::new().route("/", get(answer))).await).await;
    text(proxied.get("/").await).await;
    let report = proxied.report().await;
    // There was a pause before the answer's head, before the chunk without text, before the first with text, and
    // before each of the two chunks after it.
    let first = report.first_token.unwrap();
    assert!(first >= PAUSE * 3, "{first:?}");
    assert!(report.total >= first + PAUSE * 2, "{report:?}");
}

#[tokio::test]
async fn what_is_no_stream_has_no_report() {
    let body = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}";
    let (upstream, _head) = answers(vec![body.into()]);
    let mut proxied = Proxied::before(&upstream).await;
    assert_eq!(text(proxied.get("/").await).await, "{}");
    assert!(proxied.has_no_report());
}

#[tokio::test]
async fn an_answer_without_a_body_has_no_report() {
    for (method, status) in
        [(Method::GET, "204 No Content"), (Method::GET, "304 Not Modified"), (Method::HEAD, "200 OK")]
    {
        let head = format!("HTTP/1.1 {status}\r\nContent-Type: text/event-stream\r\nX-Request-Id: 7\r\n\r\n");
        let (upstream, _head) = answers(vec![head.into()]);
        let mut proxied = Proxied::before(&upstream).await;
        let response = send(proxied.request(method, "/")).await;
        assert_eq!(response.status().as_str(), &status[..3]);
        assert_eq!(response.headers()["x-request-id"], "7");
        assert_eq!(text(response).await, "");
        // The report of a stream that is never read arrives while its answer is sent.
        assert!(proxied.has_no_report(), "{status}");
    }
}
