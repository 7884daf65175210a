//! Truncated responses. If the request is not sent again, a truncated response must always be an error.

use crate::{
    runs::{http_client, quick, request, run},
    version::RequestBuilderExt,
};
use eventwire_client::{ConnectionError, Stopped};
use eventwire_test::{End, Script, TestServer};
use reqwest::Method;
use std::time::Duration;

/// The head of a response that ends with its connection.
const ENDS: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
/// The head of a response in chunks.
const CHUNKED: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";

/// Sends a POST, which gets this answer, and returns why the source has stopped.
async fn stopped_after(answer: &Script) -> Stopped<reqwest::Error> {
    let (server, client) = (TestServer::new().answers([answer.clone(), answer.clone()]), http_client());
    let source = request(&client, &Method::POST, &server.url()).eventsource().unwrap();
    let stopped = run(source.with_policy(quick())).await.stopped;
    assert_eq!(server.requests().len(), 1, "{answer:?}");
    assert!(!stopped.is_failure() || stopped.to_string().starts_with("not retried: "), "{stopped}");
    stopped
}

#[tokio::test]
async fn a_post_whose_answer_is_complete_or_truncated() {
    for answer in [
        Script::raw(ENDS).send("data: a\n\n"),
        Script::raw(ENDS).send("data: a\n\n: bye\n"),
        Script::new().send("data: a\n\n"),
    ] {
        assert!(!stopped_after(&answer).await.is_failure(), "{answer:?}");
    }
    // In an event.
    for answer in [
        Script::raw(ENDS).send("data: a\n\ndata: b"),
        Script::raw(ENDS).send("data: a\n\ndata: b\n"),
        Script::new().send("data: "),
    ] {
        let stopped = stopped_after(&answer).await;
        assert!(matches!(stopped.error(), Some(ConnectionError::Truncated)) && stopped.is_failure(), "{stopped:?}");
    }
    // In the body.
    for answer in [
        // Between two events, but without the last chunk.
        Script::new().send("data: a\n\n").wait(Duration::from_millis(20)).with_end(End::Close),
        Script::raw(CHUNKED).send("FF\r\ndata: a\n\n"),
        Script::new().header("content-length", "99").send("data: a\n\n"),
    ] {
        let stopped = stopped_after(&answer).await;
        assert!(matches!(stopped.error(), Some(ConnectionError::Transport(_))) && stopped.is_failure(), "{stopped:?}");
    }
}
