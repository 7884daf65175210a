//! One question each.

use std::iter;
use std::time::Duration;

use driver::{Answer, Driver, DriverError};
use reqwest::Client;
use tokio::time::{Instant, timeout};

use crate::server::{PIECES, Reply, reply, start, stream, stream_of};

const A_DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// The request after two pieces, which are the events up to number 3.
const CONTINUE: &str = "GET /resp_1?stream=true&starting_after=3";
const GONE: &str =
    "404 Not Found\r\nContent-Type: application/json\r\n\r\n{\"error\":{\"message\":\"no such response\"}}";

#[derive(Debug)]
struct Outcome {
    pieces: Vec<String>,
    /// What the driver said about each retry.
    retries: Vec<String>,
    result: Result<Answer, DriverError>,
    requests: Vec<String>,
    /// When the requests arrived, since the question, by tokio's clock.
    times: Vec<Duration>,
    elapsed: Duration,
}

/// Asks a server that follows this script.
async fn ask(script: impl Into<Vec<Reply>>) -> Outcome {
    let (base_url, requests) = start(script.into()).await;
    let begin = Instant::now();
    let mut outcome = ask_at(base_url).await;
    for (request, time) in requests.lock().unwrap().drain(..) {
        outcome.requests.push(request);
        outcome.times.push(time - begin);
    }
    outcome
}

async fn ask_at(base_url: String) -> Outcome {
    let client = Client::builder().no_proxy().build().unwrap();
    let driver = Driver { client, base_url, model: "any".to_owned() };
    let (mut pieces, mut retries, begin) = (Vec::new(), Vec::new(), Instant::now());
    let answer = driver.answer("prompt", |piece| pieces.push(piece.to_owned()), |line| retries.push(line.to_owned()));
    let result = timeout(A_DAY, answer).await.expect("the driver gives up within a day of tokio's");
    Outcome { pieces, retries, result, requests: Vec::new(), times: Vec::new(), elapsed: begin.elapsed() }
}

impl Outcome {
    /// Checks that all pieces of the answer arrived, and that these requests were sent after the POST.
    #[track_caller]
    fn is_whole(&self, after: &[&str]) {
        assert_eq!(self.pieces, PIECES, "{self:#?}");
        self.asked(after);
        let usage = self.result.as_ref().unwrap().usage.unwrap();
        assert_eq!((usage.input_tokens, usage.output_tokens), (3, 9));
    }

    /// Checks that this many pieces arrived and then this error, and that these requests were sent after the POST.
    #[track_caller]
    fn failed(&self, pieces: usize, error: &str, after: &[&str]) {
        assert_eq!(self.pieces, PIECES[..pieces], "{self:#?}");
        assert_eq!(self.result.as_ref().unwrap_err().to_string(), error, "{self:#?}");
        self.asked(after);
    }

    #[track_caller]
    fn asked(&self, after: &[&str]) {
        assert_eq!(self.requests, [&["POST "], after].concat(), "{self:#?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_whole_answer() {
    ask([stream(..)]).await.is_whole(&[]);
    // The last event is the end, even if the connection stays open.
    ask([stream(..).hang()]).await.is_whole(&[]);
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_cut_off() {
    // Inside an event; between two; before the last one; and a connection on which nothing happens any more.
    ask([stream(..4).half(4), stream(4..)]).await.is_whole(&[CONTINUE]);
    ask([stream(..4), stream(4..)]).await.is_whole(&[CONTINUE]);
    ask([stream(..7), stream(7..)]).await.is_whole(&["GET /resp_1?stream=true&starting_after=6"]);
    let outcome = ask([stream(..4).half(4).hang(), stream(4..)]).await;
    outcome.is_whole(&[CONTINUE]);
    assert!(outcome.elapsed >= Duration::from_secs(120), "{outcome:#?}");
    // After each event. Each connection makes progress, so the limit on attempts in a row is never reached.
    let outcome = ask((0..8).map(|event| stream(event..=event)).collect::<Vec<_>>()).await;
    let after: Vec<_> = (0..7).map(|event| format!("GET /resp_1?stream=true&starting_after={event}")).collect();
    outcome.is_whole(&after.iter().map(String::as_str).collect::<Vec<_>>());
}

/// Pings show that the server is alive, but not that the answer continues.
#[tokio::test(start_paused = true)]
async fn pings_alone() {
    for ping in [
        ": ping\n\n",
        "event: ping\ndata: {\"type\":\"ping\"}\n\n",
        "data: {\"type\":\"response.in_progress\",\"sequence_number\":1}\n\n",
    ] {
        let outcome = ask([stream(..2).repeat(ping), stream(2..)]).await;
        outcome.is_whole(&["GET /resp_1?stream=true&starting_after=1"]);
        assert!(outcome.elapsed >= Duration::from_secs(300), "{outcome:#?}");
    }
}

/// The model may have begun, and without an event its answer cannot be continued.
#[tokio::test(start_paused = true)]
async fn a_connection_that_is_lost_before_the_first_event() {
    for (lost, why) in [
        (stream(..0), "the stream is truncated: the connection ended early"),
        (stream(..0).half(0), "the stream is truncated: the connection ended early"),
        (stream(..0).hang(), "no data received for 120s"),
        (stream(..0).repeat(": ping\n\n"), "no progress for 300s"),
    ] {
        let error = format!("there is no complete answer: not retried: {why}");
        ask([lost, stream(..)]).await.failed(0, &error, &[]);
    }
}

/// The ID of an event is not a position in the answer.
#[tokio::test(start_paused = true)]
async fn events_that_do_not_say_how_to_continue() {
    const PIECE: &str = "id: 1\ndata: {\"type\":\"response.output_text.delta\",\"delta\":\"One, \"}\n\n";
    let error = "the server answered 404 Not Found: no such response";
    ask([stream_of(PIECE), reply(GONE)]).await.failed(1, error, &["GET "]);
}

/// A GET may be sent again after any failure.
#[tokio::test(start_paused = true)]
async fn a_rest_that_is_refused() {
    let (failed, no_answer) = (reply("500 Internal Server Error"), reply("524 A Timeout Occurred"));
    let script = [stream(..4), no_answer, failed.clone(), stream(..0), stream(4..)];
    ask(script).await.is_whole(&[CONTINUE; 4]);
    // After five attempts in a row without progress, it gives up.
    let script: Vec<_> = iter::once(stream(..4)).chain(vec![failed; 5]).chain([stream(4..)]).collect();
    ask(script).await.failed(2, "the server answered 500 Internal Server Error", &[CONTINUE; 5]);
    for (refusal, error) in [
        (GONE, "the server answered 404 Not Found: no such response"),
        ("204 No Content", "the server answered 204 No Content"),
        // The text so far has been passed on, and must not be repeated.
        (
            "200 OK\r\nContent-Type: application/json\r\n\r\n{\"status\":\"completed\"}",
            "the server answered with the content type \"application/json\": {\"status\":\"completed\"}",
        ),
    ] {
        ask([stream(..4), reply(refusal), stream(4..)]).await.failed(2, error, &[CONTINUE]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_that_asks_to_come_back_later() {
    for (refusal, seconds) in [
        ("429 Too Many Requests\r\nRetry-After: 60\r\n\r\n{\"error\":\"slow down\"}", 60),
        // The model is overloaded.
        ("529 Overloaded", 0),
    ] {
        let outcome = ask([reply(refusal), reply(refusal), stream(..)]).await;
        outcome.is_whole(&["POST ", "POST "]);
        assert!(outcome.times[2] >= Duration::from_secs(2 * seconds), "{outcome:#?}");
        assert_eq!(outcome.retries.len(), 2, "{outcome:#?}");
    }
    const TOO_LONG: &str = "429 Too Many Requests\r\nRetry-After: 3600\r\n\r\n{\"message\":\"Your day is used up.\"}";
    let error = "the server answered 429 Too Many Requests: Your day is used up.";
    ask([reply(TOO_LONG), stream(..)]).await.failed(0, error, &[]);
    ask([stream(..4).half(4), reply(TOO_LONG), stream(4..)]).await.failed(2, error, &[CONTINUE]);
}

/// The model may have begun, so the POST is not sent again.
#[tokio::test(start_paused = true)]
async fn a_refusal() {
    for (refusal, error) in [
        (
            "500 Internal Server Error\r\n\r\n{\"error\":{\"message\":\"It broke\"}}",
            "500 Internal Server Error: It broke",
        ),
        ("503 Service Unavailable\r\nRetry-After: 2", "503 Service Unavailable"),
        ("401 Unauthorized\r\n\r\n{\"error\":\"wrong key\"}", "401 Unauthorized: wrong key"),
        ("403 Forbidden\r\n\r\n<html>", "403 Forbidden"),
        ("200 OK\r\nContent-Type: text/html\r\n\r\n<html>", "with the content type \"text/html\""),
    ] {
        ask([reply(refusal), stream(..)]).await.failed(0, &format!("the server answered {error}"), &[]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_model_that_fails() {
    for (event, error) in [
        ("event: error\ndata: {\"type\":\"error\",\"message\":\"overloaded\"}\n\n", "the model failed: overloaded"),
        ("event: error\ndata: ???\n\n", "the model failed: ???"),
        ("event: error\ndata\n\n", "the model failed: the server gave no reason"),
        (
            "data: {\"type\":\"response.failed\",\"response\":{\"status\":\"failed\",\"error\":{\"message\":\"It broke.\"}}}\n\n",
            "the model failed: It broke.",
        ),
        (
            "data: {\"type\":\"response.cancelled\",\"response\":{\"status\":\"cancelled\"}}\n\n",
            "the model failed: the response is cancelled",
        ),
        ("data: {\"type\":\"response.failed\"}\n\n", "the model failed: the response is failed"),
        (
            "data: {\"type\":\"response.done\",\"response\":{\"error\":{\"message\":\"It broke.\"}}}\n\n",
            "the model failed: It broke.",
        ),
        (
            "data: {\"type\":\"response.completed\",\"response\":{\"status\":7}}\n\n",
            "cannot read the answer: cannot read the data of a `message` event as JSON: invalid type: integer `7`, expected \
             a string; the data is `{\"type\":\"response.completed\",\"response\":{\"status\":7}}`",
        ),
        (
            "data: {\"type\":7}\n\n",
            "cannot read the answer: cannot read the data of a `message` event as JSON: type: invalid type: integer `7`, \
             expected a string at line 1 column 9; the data is `{\"type\":7}`",
        ),
    ] {
        ask([stream_of(event), stream(..)]).await.failed(0, error, &[]);
    }
}

/// The body arrives in one piece. It is longer than the default limit on the body of a refusal.
#[tokio::test(start_paused = true)]
async fn a_server_that_does_not_stream() {
    let text = "word ".repeat(20_000);
    let json = format!(
        "{{\"status\":\"completed\",\"output\":[{{\"type\":\"reasoning\"}},{{\"type\":\"message\",\"content\":[\
        {{\"type\":\"output_text\",\"text\":\"{text}\"}},{{\"type\":\"refusal\",\"refusal\":\"no more\"}}]}}]}}"
    );
    let head = format!("200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n", json.len());
    let outcome = ask([reply(&(head.clone() + &json))]).await;
    assert_eq!(outcome.pieces, [text, "no more".to_owned()]);
    assert!(outcome.result.is_ok());
    // The same answer without its last byte.
    let error = format!("cannot read the answer: the body is incomplete, {} bytes of it were read", json.len() - 1);
    ask([reply(&(head + &json[..json.len() - 1])), stream(..)]).await.failed(0, &error, &[]);
    // A response that still runs in the background is not an answer.
    let queued = "200 OK\r\nContent-Type: application/json\r\n\r\n{\"status\":\"queued\"}";
    ask([reply(queued), stream(..)]).await.failed(0, "the model failed: the response is queued", &[]);
}

/// Some gateways leave out the status, or all of the response.
#[tokio::test(start_paused = true)]
async fn a_last_event_without_a_status() {
    for (last, usage, stopped_early) in [
        ("{\"type\":\"response.completed\"}", None, None),
        ("{\"type\":\"response.done\",\"response\":null}", None, None),
        (
            "{\"type\":\"response.completed\",\"response\":{\"usage\":{\"input_tokens\":3,\"output_tokens\":9}}}",
            Some(9),
            None,
        ),
        (
            "{\"type\":\"response.incomplete\",\"response\":{\"incomplete_details\":{\"reason\":\"content_filter\"}}}",
            None,
            Some("content_filter"),
        ),
        ("{\"type\":\"response.incomplete\"}", None, Some("the server gave no reason")),
    ] {
        let piece = "data: {\"type\":\"response.output_text.delta\",\"delta\":\"One, \"}\n\n";
        let outcome = ask([stream_of(&format!("{piece}data: {last}\n\n"))]).await;
        assert_eq!(outcome.pieces, ["One, "]);
        let answer = outcome.result.unwrap();
        assert_eq!(answer.usage.map(|usage| usage.output_tokens), usage, "{last}");
        assert_eq!(answer.stopped_early.as_deref(), stopped_early, "{last}");
    }
}

/// Some gateways leave out the `event` lines.
#[tokio::test(start_paused = true)]
async fn types_in_the_json_alone() {
    let outcome = ask([stream_of(
        "data: {\"type\":\"response.output_text.delta\",\"delta\":\"One, \"}\n\n\
        data: {\"type\":\"ping\"}\n\n\
        data: {\"metadata\":{\"gateway\":\"x\"}}\n\n\
        data: {\"type\":\"metadata\",\"response\":\"ok\"}\n\n\
        data: {\"type\":\"response.created\",\"response\":{\"status\":0,\"output\":{},\"usage\":[],\"error\":\"\"}}\n\n\
        data: {\"type\":\"response.output_text.delta\"}\n\n\
        data: {\"type\":\"response.output_text.delta\",\"delta\":null}\n\n\
        data: {\"type\":\"response.in_progress\",\"response\":{\"id\":\"r1\"}}\n\n\
        data: {\"type\":\"response.refusal.delta\",\"delta\":\"no more.\"}\n\n\
        data: {\"type\":\"response.incomplete\",\"response\":{\"status\":\"incomplete\",\
        \"incomplete_details\":{\"reason\":\"max_output_tokens\"}}}\n\n",
    )])
    .await;
    assert_eq!(outcome.pieces, ["One, ", "no more."]);
    let answer = outcome.result.unwrap();
    assert_eq!((answer.usage, answer.stopped_early.as_deref()), (None, Some("max_output_tokens")));
}

#[tokio::test(start_paused = true)]
async fn a_server_that_never_starts() {
    // Nothing listens on the local port of a connection, and no other process can get it in the meantime.
    let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let connection = std::net::TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let outcome = ask_at(format!("http://{}/v1", connection.local_addr().unwrap())).await;
    let error = outcome.result.as_ref().unwrap_err().to_string();
    assert!(error.contains("too many attempts") && error.contains("onnection refused"), "{error}");
    // There is one line for each attempt except the last, whose failure is the error.
    assert_eq!(outcome.retries.len(), 4, "{outcome:#?}");
    let (why, delay) = outcome.retries[0].rsplit_once("; trying again in ").unwrap();
    assert!(why.contains("onnection refused"), "{why}");
    delay.strip_suffix(" s").expect(delay).parse::<f32>().expect(delay);
}

#[test]
fn the_future_can_be_sent_to_another_thread() {
    fn is_send(_: impl Send) {}
    let driver = Driver { client: Client::new(), base_url: String::new(), model: String::new() };
    is_send(driver.answer("prompt", |_| {}, |_| {}));
}
