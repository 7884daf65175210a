use crate::header;
use eventwire::EventsExt;
use eventwire_recipes::awc::follow;
use eventwire_test::{Script, TestServer};
use futures_util::StreamExt;

fn run(server: &TestServer) -> (Vec<String>, Result<(), String>) {
    let mut out = Vec::new();
    let result = actix_rt::System::new().block_on(follow(awc::Client::default(), &server.url(), &mut out));
    let lines = String::from_utf8(out).unwrap().lines().map(str::to_owned).collect();
    (lines, result.map_err(|error| error.to_string()))
}

#[test]
fn from_connection_to_connection() {
    let server = TestServer::new().answers([
        Script::new().send("retry: 1\nid: 1\ndata: a\n\ndata: unfinished"),
        Script::new().header("content-length", "100").send("id: 2\ndata: b\n\n"),
        Script::status(204),
    ]);
    let (lines, result) = run(&server);
    assert_eq!(result, Ok(()));
    let lines: Vec<_> = lines.iter().map(|line| line.split("; waiting").next().unwrap()).collect();
    // awc does not report that the second body is shorter than announced.
    assert_eq!(lines, ["1: a", "the stream is truncated: the connection ended early", "2: b", "the connection ended"]);
    let requests = server.requests();
    let headers: Vec<_> = requests.iter().map(|request| header(request, "last-event-id")).collect();
    assert_eq!(headers, [vec![], vec!["1"], vec!["2"]]);
    assert!(requests.iter().all(|request| header(request, "accept") == ["text/event-stream"]));
    // awc would ask for gzip, and its response would be refused.
    assert!(requests.iter().all(|request| header(request, "accept-encoding").is_empty()));
}

#[test]
fn a_refusal_is_an_error() {
    let server = TestServer::new().answer(Script::status(401).send("who?"));
    let (lines, result) = run(&server);
    assert!(lines.is_empty());
    let error = result.unwrap_err();
    assert!(error.contains("401"), "{error}");
}

#[test]
fn one_response_needs_no_connector() {
    let server = TestServer::new().answer(Script::new().header("content-length", "18").send("data: a\n\ndata: b\n\n"));
    let events: Vec<_> = actix_rt::System::new().block_on(async {
        let response = awc::Client::default().get(server.url()).send().await.unwrap();
        response.events().map(|event| event.unwrap().into_data()).collect().await
    });
    assert_eq!(events, ["a", "b"]);
}
