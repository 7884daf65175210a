//! A run continues after the last event of the run before.

use crate::{header, patiently, reqwest_client};
use eventwire_recipes::last_id::follow;
use eventwire_test::{End, Script, TestServer};
use std::{fs, future, path::PathBuf, process};
use tokio::sync::mpsc;

/// A file of this test, which does not exist.
fn file(name: &str) -> PathBuf {
    let file = std::env::temp_dir().join(format!("eventwire-{}-{name}", process::id()));
    let _ = fs::remove_file(&file);
    file
}

/// Sends two events with IDs after the last one of the client, and keeps the connection open.
fn server() -> TestServer {
    let mut last = 0;
    TestServer::new().answer_with(move |_| {
        last += 2;
        let events = [last - 1, last].map(|id| format!("id: {id}\ndata: {id}\n\n"));
        Script::new().send(events.concat()).with_end(End::Stall)
    })
}

#[tokio::test]
async fn ctrl_c_saves_the_id_and_the_next_run_continues() {
    let (server, file) = (server(), file("continues"));
    let mut received = Vec::new();
    for _ in 0..3 {
        let (events, mut seen) = mpsc::unbounded_channel();
        // Ctrl-C comes after the second event.
        let stop = async { (seen.recv().await, seen.recv().await) };
        let request = reqwest_client().get(server.url());
        let on_event = |event: eventwire::Event| {
            received.push(event.data().to_owned());
            events.send(()).unwrap();
        };
        patiently(follow(request, &file, stop, on_event)).await.unwrap();
    }
    assert_eq!(received, ["1", "2", "3", "4", "5", "6"]);
    let requests = server.requests();
    let ids: Vec<_> = requests.iter().map(|request| header(request, "last-event-id")).collect();
    assert_eq!(ids, [vec![], vec!["2"], vec!["4"]]);
    assert_eq!(fs::read_to_string(&file).unwrap(), "6");
    fs::remove_file(file).unwrap();
}

#[tokio::test]
async fn a_failure_saves_it_too() {
    let stream = Script::new().send("retry: 1\nid: a\n\nid: b\ndata\n\n");
    let server = TestServer::new().answers([stream, Script::status(404)]);
    let file = file("failure");
    let request = reqwest_client().get(server.url());
    let error = patiently(follow(request, &file, future::pending::<()>(), |_| {})).await.unwrap_err();
    assert_eq!(error.to_string(), "the server answered 404 Not Found");
    assert_eq!(fs::read_to_string(&file).unwrap(), "b");
    fs::remove_file(file).unwrap();
}

#[tokio::test]
async fn a_file_that_cannot_be_read_is_an_error() {
    let server = server();
    let request = reqwest_client().get(server.url());
    let folder = std::env::temp_dir();
    assert!(patiently(follow(request, &folder, future::pending::<()>(), |_| {})).await.is_err());
    assert_eq!(server.requests().len(), 0);
}
