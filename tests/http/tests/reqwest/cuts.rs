//! Truncated responses. If the request is not sent again, a truncated response must always be an error.

use crate::{
    http_client, quick, request,
    server::{
        Answer, Server,
        Step::{Pause, Send},
        stream,
    },
};
use eventwire_client::{ConnectionError, Stopped};
use eventwire_reqwest::RequestBuilderExt;
use futures_util::StreamExt;
use reqwest::Method;

/// Sends a POST to this answer, and returns the error and its chain in one line.
async fn error_of_post(answer: Answer) -> Option<(Stopped<reqwest::Error>, String)> {
    let (server, client) = (Server::start(vec![answer, answer].leak()).await, http_client());
    let mut source = request(&client, &Method::POST, &server.url()).eventsource().unwrap().with_policy(quick());
    while source.next().await.is_some() {}
    let result = source.into_result();
    assert_eq!(server.requests().len(), 1, "{answer:?}");
    let error = result.err()?;
    let line = error.to_string();
    assert!(!line.contains('\n'));
    Some((error, line))
}

#[tokio::test]
async fn a_post_whose_answer_is_complete() {
    const ANSWERS: [Answer; 3] = [
        &[stream!("data: a\n\n")],
        &[stream!("data: a\n\n: bye\n")],
        &[Send(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n\
            9\r\ndata: a\n\n\r\n0\r\n\r\n",
        )],
    ];
    for answer in ANSWERS {
        assert!(error_of_post(answer).await.is_none(), "{answer:?}");
    }
}

#[tokio::test]
async fn a_post_whose_response_is_truncated_in_an_event() {
    const ANSWERS: [Answer; 3] = [
        &[stream!("data: a\n\ndata: b")],
        &[stream!("data: a\n\ndata: b\n")],
        &[Send(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n\
            6\r\ndata: \r\n0\r\n\r\n",
        )],
    ];
    for answer in ANSWERS {
        let (stopped, line) = error_of_post(answer).await.unwrap();
        assert!(matches!(stopped.error(), Some(ConnectionError::Truncated)), "{stopped:?}");
        assert!(line.contains("not retried: "), "{line:?}");
    }
}

#[tokio::test]
async fn a_post_whose_body_is_truncated() {
    const ANSWERS: [Answer; 3] = [
        // Between two events, but without the last chunk.
        &[
            Send(
                b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n\
                9\r\ndata: a\n\n\r\n",
            ),
            Pause(20),
        ],
        &[Send(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n\
            FF\r\ndata: a\n\n",
        )],
        &[Send(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 99\r\n\r\ndata: a\n\n")],
    ];
    for answer in ANSWERS {
        let (stopped, _) = error_of_post(answer).await.unwrap();
        assert!(matches!(stopped.error(), Some(ConnectionError::Transport(_))), "{stopped:?}");
    }
}
