use crate::header;
use eventwire_client::StopReason;
use eventwire_recipes::ureq_reconnect::follow;
use eventwire_test::{Script, TestServer};
use eventwire_test_support::PATIENCE;
use std::{sync::mpsc, thread};

fn run(server: &TestServer) -> (Vec<String>, anyhow::Result<()>) {
    let config = ureq::Agent::config_builder().http_status_as_error(false).timeout_per_read(Some(PATIENCE));
    let agent = config.build().new_agent();
    let (tell, told) = mpsc::channel();
    let url = server.url();
    thread::spawn(move || {
        let mut events = Vec::new();
        let result = follow(&agent, &url, |event| events.push(event.data().to_owned()));
        tell.send((events, result))
    });
    told.recv_timeout(PATIENCE).expect("it stops")
}

#[test]
fn from_connection_to_connection() {
    let server = TestServer::new().answers([
        Script::new().send("retry: 1\n\nid: é1\ndata: one\n\nid: 2\ndata: unfinished"),
        // More bytes are announced than are sent.
        Script::new().header("content-length", "100").send("id: 2\ndata: two\n\n"),
        Script::status(503),
        Script::raw(""),
        Script::new().send("data: three\n\n"),
        Script::status(204),
    ]);
    let (events, result) = run(&server);
    result.unwrap();
    assert_eq!(events, ["one", "two", "three"]);
    let requests = server.requests();
    assert!(requests.iter().all(|request| header(request, "accept") == ["text/event-stream"]));
    let ids: Vec<_> = requests.iter().map(|request| header(request, "last-event-id")).collect();
    assert_eq!(ids, [vec![], vec!["é1"], vec!["2"], vec!["2"], vec!["2"], vec!["2"]]);
}

#[test]
fn a_refusal_is_an_error_with_its_status() {
    let server = TestServer::new().answer(Script::status(401));
    let (events, result) = run(&server);
    assert!(events.is_empty());
    assert_eq!(result.unwrap_err().to_string(), format!("{}: status 401 Unauthorized", StopReason::UnexpectedResponse));
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn a_large_event_is_an_error() {
    let server = TestServer::new().answer(Script::new().send(format!("data: {}\n\n", "x".repeat(16 * 1024 * 1024))));
    let (_, result) = run(&server);
    assert_eq!(result.unwrap_err().to_string(), "the event is larger than the limit of 16777216 bytes");
}
