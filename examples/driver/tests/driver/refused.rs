//! Servers that refuse, and models that fail.

use crate::{
    outcome::ask,
    server::{BEFORE_TEXT, Reaction::Refuse, Step, run, whole},
};
use std::time::Duration;

#[tokio::test(start_paused = true)]
async fn a_server_that_asks_to_come_back_later() {
    for (refusal, seconds) in [
        (Refuse("429 Too Many Requests\r\nRetry-After: 2\r\nConnection: close\r\n\r\n"), 2),
        (Refuse("429 Too Many Requests\r\nRetry-After: 60\r\nConnection: close\r\n\r\n{\"error\":\"slow down\"}"), 60),
        (Refuse("529 Overloaded\r\nConnection: close\r\n\r\n"), 0),
    ] {
        let outcome = ask([refusal.clone(), refusal, whole()]).await;
        outcome.is_whole(&["POST ", "POST ", "POST "]);
        for request in [0, 1] {
            assert!(outcome.gap(request) >= Duration::from_secs(seconds), "{outcome:#?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_that_asks_for_too_long_a_wait() {
    let refusal = Refuse(
        "429 Too Many Requests\r\nRetry-After: 3600\r\nConnection: close\r\n\r\n\
        {\"error\":{\"message\":\"You have used up your day.\"}}",
    );
    ask([refusal, whole()]).await.failed(
        0,
        "the server answered 429 Too Many Requests: You have used up your day.",
        &["POST "],
        0,
    );
    // This also holds after part of the answer has arrived.
    const FAILS: &str = "500 Internal Server Error\r\nRetry-After: 3600\r\nConnection: close\r\n\r\n";
    let outcome = ask([run([Step::Head, Step::Events(4), Step::Half]), Refuse(FAILS), whole()]).await;
    assert!(outcome.result.is_err() && outcome.elapsed < Duration::from_secs(60), "{outcome:#?}");
}

/// The model may have begun, so the POST is not sent again.
#[tokio::test(start_paused = true)]
async fn a_server_that_fails() {
    for (response, line) in [
        (
            "HTTP/1.1 500 Internal Server Error\r\nConnection: close\r\n\r\n\
            {\"error\":{\"message\":\"The server had an error\"}}",
            "the server answered 500 Internal Server Error: The server had an error",
        ),
        (
            "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 2\r\nConnection: close\r\n\r\n",
            "the server answered 503 Service Unavailable",
        ),
    ] {
        ask([run([Step::Send(response)]), whole()]).await.failed(0, line, &["POST "], 1);
    }
}

#[tokio::test(start_paused = true)]
async fn no_access() {
    for (refusal, line) in [
        (
            "401 Unauthorized\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n\
            {\"error\":{\"message\":\"Incorrect API key provided:\\n\\u001b[2J.\",\"type\":\"invalid_request_error\"}}",
            "the server answered 401 Unauthorized: Incorrect API key provided:\\n\\u{1b}[2J.",
        ),
        ("403 Forbidden\r\nConnection: close\r\n\r\n<html>", "the server answered 403 Forbidden"),
        ("400 Bad Request\r\nConnection: close\r\n\r\n{\"message\":\"a\"}", "the server answered 400 Bad Request: a"),
    ] {
        ask([Refuse(refusal), whole()]).await.failed(0, line, &["POST "], 0);
    }
}

#[tokio::test(start_paused = true)]
async fn an_error_in_the_stream() {
    let two_pieces = Step::Events(BEFORE_TEXT + 2);
    ask([
        run([
            Step::Head,
            two_pieces,
            Step::Send(
                "event: error\ndata: {\"type\":\"error\",\"code\":\"server_error\",\"message\":\"over\\nloaded\",\
                \"param\":null,\"sequence_number\":4}\n\n",
            ),
        ]),
        whole(),
    ])
    .await
    .failed(2, "the model failed: over\\nloaded", &["POST "], 1);
    ask([
        run([
            Step::Head,
            two_pieces,
            Step::Send(
                "data: {\"type\":\"response.failed\",\"response\":{\"id\":\"resp_1\",\"status\":\"failed\",\
                \"error\":{\"code\":\"server_error\",\"message\":\"It broke.\"}},\"sequence_number\":4}\n\n",
            ),
        ]),
        whole(),
    ])
    .await
    .failed(2, "the model failed: It broke.", &["POST "], 1);
    ask([run([Step::Head, Step::Send("event: error\ndata: ???\n\n")]), whole()]).await.failed(
        0,
        "the model failed: the server gave no reason",
        &["POST "],
        1,
    );
}

#[tokio::test(start_paused = true)]
async fn what_is_not_an_answer() {
    ask([run([Step::Send("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n<html>")]), whole()])
        .await
        .failed(0, "cannot read the answer: the server answered with the content type \"text/html\"", &["POST "], 1);
    ask([run([Step::Head, Step::Send("data: {\"type\":\"response.output_text.delta\"}\n\n")]), whole()]).await.failed(
        0,
        "cannot read the answer: cannot read the data of a `message` event as JSON: missing field `delta`",
        &["POST "],
        1,
    );
    // A response that still runs in the background is not an answer.
    ask([
        run([Step::Send(
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n\
            {\"id\":\"resp_1\",\"status\":\"queued\",\"output\":[],\"error\":null}",
        )]),
        whole(),
    ])
    .await
    .failed(0, "the model failed: the response is queued", &["POST "], 1);
}
