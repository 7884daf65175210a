//! An answer that is continued by a GET. Each POST would be paid for.

use crate::{STREAM, reqwest_client, within};
use eventwire_recipes::continued_answer::ask;
use eventwire_test_support::{PATIENCE, Script};
use serde_json::{Value, json};
use std::{io::Write, iter, thread, time::Duration};

const GONE: &str = "HTTP/1.1 404 Not Found\r\n\r\n{\"error\":{\"message\":\"no such response\"}}";
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
fn stream(range: impl std::slice::SliceIndex<[String], Output = [String]>) -> String {
    format!("{STREAM}{}", events()[range].concat())
}

/// A response that ends inside an event, after these ones.
fn cut(count: usize) -> String {
    stream(..count) + events()[count].split_at(30).0
}

struct Run {
    text: String,
    result: Result<(), String>,
    /// The methods, and what follows the URL.
    requests: Vec<String>,
}

async fn run(answers: &[&str]) -> Run {
    run_at(&Script::new(answers)).await
}

async fn run_at(server: &Script) -> Run {
    let client = reqwest_client();
    let question = json!({ "model": "m", "input": "Hello?" });
    let mut out = Vec::new();
    let asked = within(PATIENCE * 20, ask(&client, &server.url, question, &mut out)).await.expect("an end");
    let requests = server.requests().into_iter().map(|request| {
        if request.line().starts_with("POST") {
            let body: Value = serde_json::from_str(&request.body).unwrap();
            assert_eq!(body, json!({ "model": "m", "input": "Hello?", "stream": true, "background": true }));
        }
        request.line().replace("/events", "").replace(" HTTP/1.1", "")
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
    run(&[&stream(..)]).await.is_whole(&[]);
    // The last event is the end, even if the connection stays open.
    let mut open = Vec::new();
    let server = Script::with(move |_, mut client| {
        client.write_all(stream(..).as_bytes()).unwrap();
        open.push(client);
    });
    run_at(&server).await.is_whole(&[]);
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_cut_off() {
    // Inside an event; between two; before the last one.
    run(&[&cut(4), &stream(4..)]).await.is_whole(&[CONTINUE]);
    run(&[&stream(..4), &stream(4..)]).await.is_whole(&[CONTINUE]);
    run(&[&stream(..5), &stream(5..)]).await.is_whole(&["GET /resp_1?stream=true&starting_after=4"]);
    // After each event.
    let answers: Vec<_> = (0..6).map(|event| stream(event..=event)).collect();
    let after: Vec<_> = (0..5).map(|event| format!("GET /resp_1?stream=true&starting_after={event}")).collect();
    let answers: Vec<_> = answers.iter().map(String::as_str).collect();
    run(&answers).await.is_whole(&after.iter().map(String::as_str).collect::<Vec<_>>());
}

/// A dead connection, and one on which only pings arrive.
#[tokio::test(start_paused = true)]
async fn an_answer_that_does_not_go_on() {
    for ping in ["", ": ping\n\n", "event: ping\ndata: {\"type\":\"ping\"}\n\n"] {
        let server = Script::with(move |connection, mut client| {
            let first = if connection == 0 { stream(..4) } else { stream(4..) };
            client.write_all(first.as_bytes()).unwrap();
            if connection == 0 {
                thread::spawn(move || {
                    while client.write_all(ping.as_bytes()).is_ok() {
                        thread::sleep(Duration::from_millis(2));
                    }
                });
            }
        });
        run_at(&server).await.is_whole(&[CONTINUE]);
    }
}

/// The model may have begun, and without an event its answer cannot be continued.
#[tokio::test(start_paused = true)]
async fn a_connection_that_is_lost_before_the_first_event() {
    for lost in [STREAM, &cut(0), "HTTP/1.1 500 Internal Server Error\r\n\r\n", "HTTP/1.1 524 \r\n\r\n", ""] {
        run(&[lost, &stream(..)]).await.failed(0, "not retried: ", &[]);
    }
}

/// The ID of an event is not a position in the answer.
#[tokio::test(start_paused = true)]
async fn events_that_do_not_say_how_to_continue() {
    let piece = format!(
        "{STREAM}id: 1\nevent: response.output_text.delta\ndata: {{\"type\":\"response.output_text.delta\",\"delta\":\"One, \"}}\n\n"
    );
    run(&[&piece, GONE]).await.failed(1, "404 Not Found: no such response", &["GET "]);
}

/// A GET may be sent again after any failure.
#[tokio::test(start_paused = true)]
async fn a_rest_that_is_refused() {
    let (failed, no_answer) = ("HTTP/1.1 500 Internal Server Error\r\n\r\n", "HTTP/1.1 524 \r\n\r\n");
    run(&[&stream(..4), no_answer, failed, STREAM, &stream(4..)]).await.is_whole(&[CONTINUE; 4]);
    let first = stream(..4);
    // It gives up after five attempts in a row without progress.
    let answers: Vec<_> = iter::once(first.as_str()).chain([failed; 6]).collect();
    run(&answers).await.failed(2, "the server answered 500 Internal Server Error", &[CONTINUE; 5]);
    run(&[&first, GONE]).await.failed(2, "404 Not Found: no such response", &[CONTINUE]);
    // The server no longer knows the answer.
    run(&[&first, "HTTP/1.1 204 No Content\r\n\r\n"]).await.failed(2, "204 No Content", &[CONTINUE]);
}

#[tokio::test(start_paused = true)]
async fn a_question_that_the_server_has_turned_away_is_asked_again() {
    let busy = "HTTP/1.1 429 Too Many Requests\r\nretry-after: 30\r\n\r\n";
    run(&[busy, busy, &stream(..)]).await.is_whole(&["POST ", "POST "]);
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
        run(&[&format!("{STREAM}{event}"), &stream(..)]).await.failed(0, error, &[]);
    }
}
