//! An answer that is continued by a GET. Each POST would be paid for.

use crate::{reqwest_client, within};
use eventwire_recipes::continued_answer::ask;
use eventwire_test::{End, Script, TestServer};
use eventwire_test_support::PATIENCE;
use serde_json::{Value, json};
use std::{iter, time::Duration};

/// The request after two pieces, which are the events up to number 3.
const CONTINUE: &str = "GET /resp_1?stream=true&starting_after=3";
const PIECES: [&str; 3] = ["One, ", "two, ", "d\u{E9}j\u{E0} vu."];

/// The events as OpenAI sends them. The pieces of the text are the events 2 to 4.
fn events() -> Vec<String> {
    let mut events = vec![
        json!({ "type": "response.created", "response": { "id": "resp_1", "status": "in_progress" } }),
        json!({ "type": "response.output_item.added", "output_index": 0, "item": { "type": "message" } }),
    ];
    events.extend(PIECES.map(|piece| json!({ "type": "response.output_text.delta", "delta": piece })));
    events.push(json!({ "type": "response.completed", "response": { "id": "resp_1", "status": "completed" } }));
    let numbered = events.into_iter().enumerate().map(|(number, mut event)| {
        event["sequence_number"] = number.into();
        format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap())
    });
    numbered.collect()
}

/// A response with these events.
fn stream(range: impl std::slice::SliceIndex<[String], Output = [String]>) -> Script {
    Script::new().send(events()[range].concat())
}

/// A response that ends inside an event, after these ones.
fn cut(count: usize) -> Script {
    stream(..count).send(events()[count][..30].to_owned())
}

fn gone() -> Script {
    Script::status(404).send("{\"error\":{\"message\":\"no such response\"}}")
}

struct Run {
    text: String,
    result: Result<(), String>,
    /// The methods, and what follows the URL.
    requests: Vec<String>,
}

async fn run(answers: impl IntoIterator<Item = Script>) -> Run {
    let server = TestServer::new().answers(answers);
    let (client, url) = (reqwest_client(), server.url());
    let question = json!({ "model": "m", "input": "Hello?" });
    let mut out = Vec::new();
    let asked = within(PATIENCE * 20, ask(&client, &url, question, &mut out)).await.expect("an end");
    let requests = server.requests().into_iter().map(|request| {
        if request.method() == "POST" {
            let body: Value = serde_json::from_slice(request.body()).unwrap();
            assert_eq!(body, json!({ "model": "m", "input": "Hello?", "stream": true, "background": true }));
        }
        format!("{} {}", request.method(), request.uri().to_string().replace("/events", ""))
    });
    let requests = requests.collect();
    Run { text: String::from_utf8(out).unwrap(), result: asked.map_err(|error| format!("{error:#}")), requests }
}

impl Run {
    /// Checks that the whole answer arrived, and that these requests were sent after the POST.
    #[track_caller]
    fn is_whole(&self, after: &[&str]) {
        assert_eq!((self.text.as_str(), &self.result), (PIECES.concat().as_str(), &Ok(())));
        assert_eq!(self.requests, [&["POST "], after].concat());
    }

    /// Checks that this many pieces arrived and then this error, and that these requests were sent after the POST.
    #[track_caller]
    fn failed(&self, pieces: usize, error: &str, after: &[&str]) {
        assert_eq!(self.text, PIECES[..pieces].concat());
        let found = self.result.as_ref().unwrap_err();
        assert!(found.contains(error), "{error:?} in {found:?}");
        assert_eq!(self.requests, [&["POST "], after].concat());
    }
}

#[tokio::test(start_paused = true)]
async fn a_whole_answer() {
    run([stream(..)]).await.is_whole(&[]);
    // The last event is the end, even if the connection stays open.
    run([stream(..).with_end(End::Stall)]).await.is_whole(&[]);
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_cut_off() {
    // Inside an event; between two; before the last one.
    run([cut(4), stream(4..)]).await.is_whole(&[CONTINUE]);
    run([stream(..4), stream(4..)]).await.is_whole(&[CONTINUE]);
    run([stream(..5), stream(5..)]).await.is_whole(&["GET /resp_1?stream=true&starting_after=4"]);
    // After each event.
    let answers = (0..6).map(|event| stream(event..=event));
    let after: Vec<_> = (0..5).map(|event| format!("GET /resp_1?stream=true&starting_after={event}")).collect();
    run(answers).await.is_whole(&after.iter().map(String::as_str).collect::<Vec<_>>());
}

/// A dead connection, and one on which only pings arrive.
#[tokio::test(start_paused = true)]
async fn an_answer_that_does_not_go_on() {
    for ping in ["", ": ping\n\n", "event: ping\ndata: {\"type\":\"ping\"}\n\n"] {
        // Longer than the client waits.
        let pings = iter::repeat_n(ping, 30_000);
        let first = pings.fold(stream(..4), |first, ping| first.wait(Duration::from_millis(2)).send(ping));
        run([first.with_end(End::Stall), stream(4..)]).await.is_whole(&[CONTINUE]);
    }
}

/// The model may have begun, and without an event its answer cannot be continued.
#[tokio::test(start_paused = true)]
async fn a_connection_that_is_lost_before_the_first_event() {
    for lost in [Script::new(), cut(0), Script::status(500), Script::status(524), Script::raw("")] {
        run([lost, stream(..)]).await.failed(0, "not retried: ", &[]);
    }
}

/// The ID of an event is not a position in the answer.
#[tokio::test(start_paused = true)]
async fn events_that_do_not_say_how_to_continue() {
    let piece = Script::new().send(
        "id: 1\nevent: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"delta\":\"One, \"}\n\n",
    );
    run([piece, gone()]).await.failed(1, "404 Not Found: no such response", &["GET "]);
}

/// A GET may be sent again after any failure.
#[tokio::test(start_paused = true)]
async fn a_rest_that_is_refused() {
    let (failed, no_answer) = (Script::status(500), Script::status(524));
    let answers = [stream(..4), no_answer, failed.clone(), Script::new(), stream(4..)];
    run(answers).await.is_whole(&[CONTINUE; 4]);
    // It gives up after five attempts in a row without progress.
    let answers = iter::once(stream(..4)).chain(iter::repeat_n(failed, 6));
    run(answers).await.failed(2, "the server answered 500 Internal Server Error", &[CONTINUE; 5]);
    run([stream(..4), gone()]).await.failed(2, "404 Not Found: no such response", &[CONTINUE]);
    // The server no longer knows the answer.
    run([stream(..4), Script::status(204)]).await.failed(2, "204 No Content", &[CONTINUE]);
}

#[tokio::test(start_paused = true)]
async fn a_question_that_the_server_has_turned_away_is_asked_again() {
    let busy = Script::status(429).header("retry-after", "30");
    run([busy.clone(), busy, stream(..)]).await.is_whole(&["POST ", "POST "]);
}

#[tokio::test(start_paused = true)]
async fn a_model_that_fails() {
    for (event, error) in [
        ("event: error\ndata: {\"type\":\"error\",\"message\":\"overloaded\"}\n\n", "overloaded"),
        (
            "data: {\"type\":\"response.failed\",\"response\":{\"error\":{\"message\":\"It broke.\"}}}\n\n",
            "the answer is incomplete: It broke.",
        ),
        (
            "data: {\"type\":\"response.incomplete\",\"response\":{\"incomplete_details\":{\"reason\":\"max_tokens\"}}}\n\n",
            "the answer is incomplete: max_tokens",
        ),
        ("data: {\"type\":\"response.cancelled\"}\n\n", "the answer is incomplete: no reason is given"),
    ] {
        run([Script::new().send(event), stream(..)]).await.failed(0, error, &[]);
    }
}
