//! Answers that arrive complete on the first connection.

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

/// Some servers do not stream the pieces.
#[tokio::test(start_paused = true)]
async fn the_text_in_the_last_event_alone() {
    const LAST: &str = "data: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\",\"output\":[\
        {\"type\":\"message\",\"content\":[{\"type\":\"output_text\",\"text\":\"all of it\"}]}]}}\n\n";
    let outcome = ask([run([Step::Head, Step::Send(LAST)])]).await;
    assert_eq!((outcome.pieces, outcome.log.billed), (vec!["all of it".to_owned()], 1));
    assert!(outcome.result.is_ok());
}

/// The head arrives at once, the body after 100 seconds.
#[tokio::test(start_paused = true)]
async fn a_slow_answer_of_a_server_that_does_not_stream() {
    let mut steps = vec![Step::Pause; 100];
    steps.insert(0, Step::Send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n"));
    steps.push(Step::Send("{\"id\":\"resp_1\",\"status\":\"completed\",\"output\":[]}"));
    let outcome = ask([run(steps)]).await;
    assert_eq!((outcome.result.is_ok(), outcome.log.billed), (true, 1), "{outcome:#?}");
}

/// The text is longer than the default limit on the body of a refusal, and has two parts.
#[tokio::test(start_paused = true)]
async fn a_long_answer_of_a_server_that_does_not_stream() {
    let text = "word ".repeat(20_000);
    let json = format!(
        "{{\"id\":\"r\",\"status\":\"completed\",\"output\":[{{\"type\":\"message\",\"content\":[\
        {{\"type\":\"output_text\",\"text\":\"{text}\"}},{{\"type\":\"refusal\",\"refusal\":\"no more\"}}]}}]}}"
    );
    let head =
        "HTTP/1.1 200 OK\r\nContent-Type: application/json; charset=utf-8\r\nConnection: close\r\nContent-Length: ";
    let response = format!("{head}{}\r\n\r\n{json}", json.len());
    let cut = response[..response.len() - 1].to_owned();
    let outcome = ask([run([Step::Send(response.leak())])]).await;
    assert_eq!((outcome.pieces, outcome.log.billed), (vec![text, "no more".to_owned()], 1));
    assert!(outcome.result.is_ok());
    // The same answer without its last byte.
    let error = format!("cannot read the answer: the body is incomplete, {} bytes of it were read", json.len() - 1);
    ask([run([Step::Send(cut.leak())]), whole()]).await.failed(0, &error, &["POST "], 1);
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
    let driver = driver::Driver { client: reqwest::Client::new(), base_url: String::new(), model: String::new() };
    is_send(driver.answer("prompt", |_| {}, |_| {}));
}
