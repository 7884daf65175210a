//! An overloaded model is asked again, but only if nothing of its answer was written.

use crate::{header, reqwest_client, within};
use eventwire_recipes::overloaded::ask;
use eventwire_test::{Script, TestServer};
use eventwire_test_support::PATIENCE;
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::Instant;

const OVERLOADED: &str =
    "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n";
const START: &str = concat!(
    "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{}}\n\n",
    "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n",
    "event: ping\ndata: {\"type\":\"ping\"}\n\n",
);
const HI: &str = "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"text_delta\",\"text\":\"Hi\"}}\n\n";
const END: &str = concat!(
    "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}\n\n",
    "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n",
);

fn answer(body: &[&str]) -> Script {
    Script::new().send(body.concat())
}

fn status_529() -> Script {
    let body = "{\"error\":{\"message\":\"Overloaded\"}}";
    Script::status(529).header("content-type", "application/json").send(body)
}

/// The text, the result, the number of questions, and how long it took: at least the delays.
async fn run(answers: impl IntoIterator<Item = Script>) -> (String, Result<(), String>, usize, Duration) {
    let server = TestServer::new().answers(answers);
    let (mut out, start) = (Vec::new(), Instant::now());
    let request = reqwest_client().post(server.url()).header("x-api-key", "key");
    let question = json!({ "model": "m", "max_tokens": 9, "messages": [] });
    let asked = within(PATIENCE * 10, ask(request, question, &mut out)).await.expect("the test took too long");
    let result = asked.map_err(|error| format!("{error:#}"));
    let requests = server.requests();
    for request in &requests {
        assert_eq!(header(request, "x-api-key"), ["key"]);
        assert_eq!(header(request, "anthropic-version"), ["2023-06-01"]);
        let body: Value = serde_json::from_slice(request.body()).unwrap();
        assert_eq!(body, json!({ "model": "m", "max_tokens": 9, "messages": [], "stream": true }));
    }
    (String::from_utf8(out).unwrap(), result, requests.len(), start.elapsed())
}

#[tokio::test(start_paused = true)]
async fn before_the_first_token_it_asks_again() {
    for overloaded in [answer(&[OVERLOADED]), answer(&[START, OVERLOADED]), status_529()] {
        let good = answer(&[START, HI, END]);
        let (text, result, requests, time) = run([overloaded.clone(), overloaded, good]).await;
        assert_eq!((text.as_str(), result, requests), ("Hi", Ok(()), 3));
        assert!(time >= Duration::from_millis(1500), "{time:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn it_waits_as_long_as_the_server_asks_but_at_most_a_minute() {
    for (retry_after, seconds) in [("20", 20), ("9999", 60)] {
        let overloaded = status_529().header("retry-after", retry_after);
        let (_, result, requests, time) = run([overloaded, answer(&[START, HI, END])]).await;
        assert_eq!((result, requests), (Ok(()), 2));
        assert!(time.as_secs() >= seconds, "{time:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn after_the_first_token_it_is_an_error() {
    let (text, result, requests, _) = run([answer(&[START, HI, OVERLOADED]), answer(&[START, HI, END])]).await;
    let error = result.unwrap_err();
    assert_eq!((text.as_str(), requests), ("Hi", 1));
    assert!(error.contains("Overloaded"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn four_times_at_most() {
    let (text, result, requests, _) = run(vec![answer(&[OVERLOADED]); 6]).await;
    assert_eq!((text.as_str(), result, requests), ("", Err("the model is overloaded".to_owned()), 4));
}

/// The server may have carried out the question.
#[tokio::test(start_paused = true)]
async fn other_failures_are_errors_at_once() {
    let other = "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"api_error\",\"message\":\"bug\"}}\n\n";
    let refused = Script::status(500).send("overloaded_error");
    for failure in [answer(&[START, other]), answer(&[START]), refused] {
        let (_, result, requests, _) = run([failure.clone(), answer(&[START, HI, END])]).await;
        assert!(result.is_err());
        assert_eq!(requests, 1, "{failure:?}");
    }
}
