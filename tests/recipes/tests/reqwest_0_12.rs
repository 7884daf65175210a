//! The recipe for reqwest 0.12. It is a separate test, because it names the crate `reqwest`, which is version
//! 0.13 there.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

extern crate reqwest_0_12 as reqwest;

#[rustfmt::skip] // `.ci/run` formats it with the settings in `docs`
#[path = "../../../docs/recipes/reqwest_0_12.rs"]
#[allow(unreachable_pub, reason = "users copy it into their own modules")]
mod recipe;

use eventwire_test_support::Script;

const STREAM: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";

async fn run(url: &str) -> (Vec<String>, Result<(), String>) {
    let mut out = Vec::new();
    let result = recipe::follow(reqwest::Client::new(), url, &mut out).await;
    let lines = String::from_utf8(out).unwrap().lines().map(str::to_owned).collect();
    (lines, result.map_err(|error| error.to_string()))
}

#[tokio::test]
async fn from_connection_to_connection() {
    let first = format!("{STREAM}retry: 1\nid: 1\ndata: a\n\ndata: unfinished");
    let second = STREAM.replace("\r\n\r\n", "\r\ncontent-length: 100\r\n\r\n") + "id: 2\ndata: b\n\n";
    let server = Script::new(&[&first, &second]);
    let (lines, result) = run(&server.url).await;
    assert_eq!(result, Ok(()));
    let lines: Vec<_> = lines.iter().map(|line| line.split("; waiting").next().unwrap()).collect();
    let [first_event, first_end, second_event, second_end] = lines[..] else { panic!("{lines:?}") };
    assert_eq!(
        [first_event, first_end, second_event],
        ["1: a", "the stream is truncated: the connection ended early", "2: b"]
    );
    assert!(
        second_end.contains("body error: ") && second_end.ends_with("end of file before message length reached"),
        "{second_end}"
    );
    let requests = server.requests();
    let headers: Vec<_> = requests.iter().map(|request| request.header("last-event-id")).collect();
    assert_eq!(headers, [vec![], vec!["1"], vec!["2"]]);
    assert!(requests.iter().all(|request| request.header("accept") == ["text/event-stream"]));
}

#[tokio::test]
async fn a_refusal_is_an_error() {
    let server = Script::new(&["HTTP/1.1 401 Unauthorized\r\ncontent-length: 4\r\n\r\nwho?"]);
    let (lines, result) = run(&server.url).await;
    assert!(lines.is_empty());
    let error = result.unwrap_err();
    assert!(error.contains("401"), "{error}");
}

#[tokio::test]
async fn a_mistyped_url_is_an_error_at_once() {
    let (lines, result) = run("example.com/events").await;
    assert!(lines.is_empty());
    assert_eq!(result.unwrap_err(), "relative URL without a base");
}
