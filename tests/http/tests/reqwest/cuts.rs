//! Truncated responses. If the request is not sent again, a truncated response must always be an error.

use crate::{
    runs::{http_client, quick, request, run},
    server::{
        Answer, Server,
        Step::{Pause, Send},
        stream,
    },
    version::RequestBuilderExt,
};
use eventwire_client::{ConnectionError, Stopped};
use reqwest::Method;

/// The beginning of a response in chunks.
macro_rules! chunked {
    ($body:literal) => {
        Send(
            concat!("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n", $body)
                .as_bytes(),
        )
    };
}

/// Sends a POST, which gets this answer, and returns why the source has stopped.
async fn stopped_after(answer: Answer) -> Stopped<reqwest::Error> {
    let (server, client) = (Server::start(vec![answer, answer].leak()).await, http_client());
    let source = request(&client, &Method::POST, &server.url()).eventsource().unwrap();
    let stopped = run(source.with_policy(quick())).await.stopped;
    assert_eq!(server.requests().len(), 1, "{answer:?}");
    assert!(!stopped.is_failure() || stopped.to_string().starts_with("not retried: "), "{stopped}");
    stopped
}

#[tokio::test]
async fn a_post_whose_answer_is_complete_or_truncated() {
    const COMPLETE: [Answer; 3] =
        [&[stream!("data: a\n\n")], &[stream!("data: a\n\n: bye\n")], &[chunked!("9\r\ndata: a\n\n\r\n0\r\n\r\n")]];
    for answer in COMPLETE {
        assert!(!stopped_after(answer).await.is_failure(), "{answer:?}");
    }
    const IN_AN_EVENT: [Answer; 3] =
        [&[stream!("data: a\n\ndata: b")], &[stream!("data: a\n\ndata: b\n")], &[chunked!("6\r\ndata: \r\n0\r\n\r\n")]];
    for answer in IN_AN_EVENT {
        let stopped = stopped_after(answer).await;
        assert!(matches!(stopped.error(), Some(ConnectionError::Truncated)) && stopped.is_failure(), "{stopped:?}");
    }
    const IN_THE_BODY: [Answer; 3] = [
        // Between two events, but without the last chunk.
        &[chunked!("9\r\ndata: a\n\n\r\n"), Pause(20)],
        &[chunked!("FF\r\ndata: a\n\n")],
        &[Send(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 99\r\n\r\ndata: a\n\n")],
    ];
    for answer in IN_THE_BODY {
        let stopped = stopped_after(answer).await;
        assert!(matches!(stopped.error(), Some(ConnectionError::Transport(_))) && stopped.is_failure(), "{stopped:?}");
    }
}
