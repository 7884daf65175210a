//! Connections that end too early.

use crate::{
    outcome::{ask, ask_at},
    server::{BEFORE_TEXT, Reaction::Refuse, Server, Step, run, whole},
};
use std::time::Duration;

const TWO_PIECES: Step = Step::Events(BEFORE_TEXT + 2);
/// The request after two pieces.
const CONTINUE: &str = "GET /resp_1?stream=true&starting_after=3";
const GONE: &str = "404 Not Found\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n\
    {\"error\":{\"message\":\"Response with id 'resp_1' not found.\",\"type\":\"invalid_request_error\"}}";

#[tokio::test(start_paused = true)]
async fn inside_an_event() {
    ask([run([Step::Head, TWO_PIECES, Step::Half]), whole()]).await.is_whole(&["POST ", CONTINUE]);
    ask([run([Step::Head, TWO_PIECES, Step::Half, Step::Pause, Step::Reset]), whole()])
        .await
        .is_whole(&["POST ", CONTINUE]);
}

/// A connection that is closed in order before the last event does not end the answer.
#[tokio::test(start_paused = true)]
async fn between_events() {
    ask([run([Step::Head, TWO_PIECES]), whole()]).await.is_whole(&["POST ", CONTINUE]);
    ask([run([Step::Head, Step::Events(7)]), whole()])
        .await
        .is_whole(&["POST ", "GET /resp_1?stream=true&starting_after=6"]);
}

/// Each connection makes progress, so the limit on attempts in a row is never reached.
#[tokio::test(start_paused = true)]
async fn after_every_event() {
    let one_event = run([Step::Head, Step::Events(1), Step::Half]);
    let outcome = ask(vec![one_event; 8]).await;
    let requests = (0..7).map(|number| format!("GET /resp_1?stream=true&starting_after={number}"));
    let requests: Vec<_> = std::iter::once("POST ".to_owned()).chain(requests).collect();
    outcome.is_whole(&requests.iter().map(String::as_str).collect::<Vec<_>>());
}

/// The ID of an event is not a position in the answer.
#[tokio::test(start_paused = true)]
async fn after_events_that_do_not_say_how_to_continue() {
    const PIECE: &str = "id: 1\ndata: {\"type\":\"response.output_text.delta\",\"delta\":\"One, \"}\n\n";
    let outcome = ask([run([Step::Head, Step::Send(PIECE)]), Refuse(GONE)]).await;
    assert!(outcome.result.is_err(), "{outcome:#?}");
    assert_eq!((outcome.log.requests, outcome.log.billed), (vec!["POST ".to_owned(), "GET ".to_owned()], 1));
    assert_eq!(outcome.pieces, ["One, "]);
}

/// The text so far has been passed on, and must not be repeated.
#[tokio::test(start_paused = true)]
async fn json_in_place_of_the_rest() {
    const JSON: &str = "200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n\
        {\"status\":\"completed\",\"output\":[{\"type\":\"message\",\"content\":[{\"type\":\"output_text\",\"text\":\"all\"}]}]}";
    let outcome = ask([run([Step::Head, TWO_PIECES]), Refuse(JSON)]).await;
    let error = outcome.result.as_ref().unwrap_err().to_string();
    assert!(error.contains("application/json"), "{error}");
    assert_eq!((outcome.pieces.concat(), outcome.log.billed), ("One, two, ".to_owned(), 1));
}

/// The model may have begun, and without an event its answer cannot be continued.
#[tokio::test(start_paused = true)]
async fn before_the_first_event() {
    let line = "there is no complete answer: not retried: ";
    ask([run([Step::Head]), whole()]).await.failed(
        0,
        &format!("{line}the connection ended before the last event of the stream"),
        &["POST "],
        1,
    );
    ask([run([Step::Head, Step::Half]), whole()]).await.failed(
        0,
        &format!("{line}the connection ended inside an event"),
        &["POST "],
        1,
    );
    let outcome = ask([run([]), whole()]).await;
    let error = outcome.result.as_ref().unwrap_err().to_string();
    assert!(error.starts_with(line) && error.ends_with(": connection closed before message completed"), "{error}");
    assert_eq!((outcome.log.requests, outcome.log.billed), (vec!["POST ".to_owned()], 1));
}

#[tokio::test(start_paused = true)]
async fn a_server_that_has_not_started_yet() {
    let server = Server::start_after(Duration::from_millis(100), [whole()]);
    let outcome = ask_at(&server).await;
    outcome.is_whole(&["POST "]);
    // The first attempt was refused, and the next one came after a delay.
    assert!(outcome.elapsed >= Duration::from_millis(500), "{outcome:#?}");
    let [retry] = &outcome.retries[..] else { panic!("{outcome:#?}") };
    let (why, delay) = retry.rsplit_once("; trying again in ").unwrap();
    assert!(why.contains("Connection refused"), "{retry}");
    let delay: f64 = delay.strip_suffix(" s").unwrap().parse().unwrap();
    // Random; it is printed with one digit.
    assert!((0.5..=1.0).contains(&delay), "{retry}");
}

#[tokio::test(start_paused = true)]
async fn a_server_that_never_starts() {
    let server = Server::start_after(Duration::from_secs(3600), [whole()]);
    let outcome = ask_at(&server).await;
    let error = outcome.result.as_ref().unwrap_err().to_string();
    assert!(error.contains("too many attempts") && error.contains("Connection refused"), "{error}");
    assert_eq!((outcome.pieces.len(), outcome.log.billed), (0, 0));
    // There is one line for each attempt except the last, whose failure is the error.
    assert_eq!(outcome.retries.len(), 4, "{outcome:#?}");
}

/// The pieces that arrived before it have been passed on.
#[tokio::test(start_paused = true)]
async fn a_rest_that_is_refused() {
    ask([run([Step::Head, TWO_PIECES, Step::Half]), Refuse(GONE), whole()]).await.failed(
        2,
        "the server answered 404 Not Found: Response with id 'resp_1' not found.",
        &["POST ", CONTINUE],
        1,
    );
}

/// A GET may be sent again after any failure.
#[tokio::test(start_paused = true)]
async fn a_rest_that_takes_several_attempts() {
    let failed = Refuse("500 Internal Server Error\r\nConnection: close\r\n\r\n");
    let no_answer = Refuse("524 A Timeout Occurred\r\nConnection: close\r\n\r\n");
    ask([run([Step::Head, TWO_PIECES]), no_answer, failed.clone(), run([Step::Head]), whole()])
        .await
        .is_whole(&["POST ", CONTINUE, CONTINUE, CONTINUE, CONTINUE]);
    // After five attempts in a row without progress, it gives up.
    ask([
        run([Step::Head, TWO_PIECES]),
        failed.clone(),
        failed.clone(),
        failed.clone(),
        failed.clone(),
        failed,
        whole(),
    ])
    .await
    .failed(
        2,
        "the server answered 500 Internal Server Error",
        &["POST ", CONTINUE, CONTINUE, CONTINUE, CONTINUE, CONTINUE],
        1,
    );
}

#[tokio::test(start_paused = true)]
async fn a_rest_that_no_longer_exists() {
    ask([run([Step::Head, TWO_PIECES]), Refuse("204 No Content\r\nConnection: close\r\n\r\n")]).await.failed(
        2,
        "the server answered 204 No Content",
        &["POST ", CONTINUE],
        1,
    );
}
