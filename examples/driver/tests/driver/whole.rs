//! Answers that arrive in one go, one way or another.

use crate::{
    outcome::ask,
    server::{PIECES, Step, run, whole},
};

#[tokio::test(start_paused = true)]
async fn an_orderly_stream() {
    ask([whole()]).await.is_whole(&["POST "]);
}

/// The server keeps the connection open after the last event.
#[tokio::test(start_paused = true)]
async fn the_last_event_is_the_end() {
    let outcome = ask([run([Step::Head, Step::Rest, Step::Hang])]).await;
    outcome.is_whole(&["POST "]);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_does_not_stream() {
    let outcome = ask([run([Step::Send(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n\
        {\"id\":\"resp_1\",\"status\":\"completed\",\"error\":null,\"output\":[\
        {\"type\":\"reasoning\",\"summary\":[]},\
        {\"type\":\"message\",\"content\":[{\"type\":\"output_text\",\"text\":\"One, two, three, déjà vu.\"}]}\
        ],\"usage\":{\"input_tokens\":3,\"output_tokens\":9}}",
    )])])
    .await;
    assert_eq!((outcome.pieces, outcome.log.billed), (vec![PIECES.concat()], 1));
    assert_eq!(outcome.result.unwrap().usage.unwrap().output_tokens, 9);
}

/// Some gateways leave out the `event` lines.
#[tokio::test(start_paused = true)]
async fn types_in_the_json_alone() {
    let outcome = ask([run([
        Step::Head,
        Step::Send(
            "data: {\"type\":\"response.output_text.delta\",\"delta\":\"One, \"}\n\n\
            data: {\"type\":\"ping\"}\n\n\
            data: {\"type\":\"response.refusal.delta\",\"delta\":\"no more.\"}\n\n\
            data: {\"type\":\"response.incomplete\",\"response\":{\"id\":\"r\",\"status\":\"incomplete\",\
            \"incomplete_details\":{\"reason\":\"max_output_tokens\"}}}\n\n",
        ),
    ])])
    .await;
    assert_eq!((outcome.pieces, outcome.log.billed), (vec!["One, ".to_owned(), "no more.".to_owned()], 1));
    let answer = outcome.result.unwrap();
    assert_eq!((answer.usage, answer.stopped_early.as_deref()), (None, Some("max_output_tokens")));
}

#[test]
fn the_future_can_be_sent_to_another_thread() {
    fn is_send(_: impl Send) {}
    let driver = driver::Driver::new(reqwest::Client::new(), "http://127.0.0.1", "any");
    is_send(driver.answer("prompt", |_| {}));
}
