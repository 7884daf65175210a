//! A broken stream never looks complete to the client.

use eventwire_test_support::PATIENCE;
use proxy::{End, Report};
use reqwest::Method;
use tokio::time::timeout;

use crate::proxied::{Proxied, answers, chunked, token};

/// Returns what the client read, whether its body ended with an error, and the report.
async fn read(writes: Vec<Vec<u8>>) -> (String, bool, Report) {
    let (upstream, _head) = answers(writes);
    let mut proxied = Proxied::before(&upstream).await;
    let mut response = proxied.get("/").await;
    assert_eq!(response.status(), 200);
    let mut body = Vec::new();
    let is_error = loop {
        match timeout(PATIENCE, response.chunk()).await.expect("the end") {
            Ok(Some(chunk)) => body.extend_from_slice(&chunk),
            Ok(None) => break false,
            Err(_) => break true,
        }
    };
    (String::from_utf8(body).unwrap(), is_error, proxied.report().await)
}

fn renamed(event: &str) -> String {
    event.replace("small-2", "ours")
}

#[tokio::test]
async fn between_events() {
    let event = token("a");
    let (body, is_error, report) = read(chunked([event.as_bytes()]).collect()).await;
    assert_eq!((body, is_error), (renamed(&event), true));
    assert_eq!(report.tokens, 1);
    assert!(matches!(&report.end, End::CutOff(_)), "{report:?}");
    assert!(report.to_string().contains(": cut off by the server ("), "{report}");
}

#[tokio::test]
async fn within_an_event() {
    let event = token("a");
    for half in ["data: {\"model\":\"sm", token("b").trim_end(), &format!("{}\n", token("b").trim_end())] {
        let (body, is_error, report) = read(chunked([event.as_bytes(), half.as_bytes()]).collect()).await;
        // No part of an event is passed on before its end, because its model may have to be changed.
        assert_eq!((body, is_error), (renamed(&event), true), "{half:?}");
        assert_eq!(report.tokens, 1, "{half:?}");
        assert!(matches!(report.end, End::CutOff(_)), "{report:?}");
    }
}

/// The connection may break before the head of the answer is sent.
#[tokio::test]
async fn before_the_first_byte() {
    let (upstream, _head) = answers(chunked([]).collect());
    let mut proxied = Proxied::before(&upstream).await;
    let body = async { proxied.request(Method::GET, "/").send().await?.bytes().await };
    assert!(timeout(PATIENCE, body).await.expect("the end").is_err());
    let report = proxied.report().await;
    assert!(matches!(report.end, End::CutOff(_)), "{report:?}");
}

#[tokio::test]
async fn short_of_its_length() {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 100000\r\n\r\n";
    let (body, is_error, report) = read(vec![format!("{head}{}", token("a")).into()]).await;
    assert_eq!((body, is_error), (renamed(&token("a")), true));
    assert!(matches!(report.end, End::CutOff(_)), "{report:?}");
}

/// If a body ends with its connection, a truncated body looks complete. The report shows that the end marker is
/// missing.
#[tokio::test]
async fn with_a_body_without_a_length() {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";
    let (body, is_error, report) = read(vec![format!("{head}{}", token("a")).into()]).await;
    assert_eq!((body, is_error), (renamed(&token("a")), false));
    assert_eq!(report.end, End::Unmarked);
    // The model in an incomplete payload would not be renamed, and clients discard an event without its blank line.
    for half in ["data: {\"model\":\"small-2\",\"cho", "data: {\ndata: \"model\":\"small-2\"\n", "data:  {\"model"] {
        for event in ["", &token("a")] {
            let (body, is_error, report) = read(vec![format!("{head}{event}{half}").into()]).await;
            assert_eq!((body, is_error), (renamed(event), false), "{half:?}");
            assert_eq!(report.end, End::Unmarked, "{half:?}");
        }
    }
    // Everything else may be complete.
    for text in ["data: word", "data: {word", "data: [1", "data: {} "] {
        let (body, is_error, _) = read(vec![format!("{head}{text}").into()]).await;
        assert_eq!((body, is_error), (format!("{text}\n\n"), false));
    }
}

#[tokio::test]
async fn an_event_that_is_too_large_to_be_held() {
    let event = token("a");
    let large = format!("data: {}", "x".repeat(17 << 20));
    let (body, is_error, report) = read(chunked([event.as_bytes(), large.as_bytes(), b"\n\n"]).collect()).await;
    assert_eq!((body, is_error), (renamed(&event), true));
    // The server did not cause this.
    assert!(
        report.to_string().contains(": cut off (the event is larger than the limit of 16777216 bytes)"),
        "{report}"
    );
}
