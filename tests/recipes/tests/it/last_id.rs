//! A run continues after the last event of the run before.

use crate::{STREAM, patiently, reqwest_client};
use eventwire_recipes::last_id::follow;
use eventwire_test_support::Script;
use std::{
    fs, future,
    io::{Read, Write},
    path::PathBuf,
    process,
};
use tokio::sync::mpsc;

/// A file of this test, which does not exist.
fn file(name: &str) -> PathBuf {
    let file = std::env::temp_dir().join(format!("eventwire-{}-{name}", process::id()));
    let _ = fs::remove_file(&file);
    file
}

/// Sends two events with IDs after the last one of the client, and keeps the connection open.
fn server() -> Script {
    Script::with(|place, mut client| {
        let ids = [2 * place + 1, 2 * place + 2];
        let events = ids.map(|id| format!("id: {id}\ndata: {id}\n\n")).concat();
        client.write_all((STREAM.to_owned() + &events).as_bytes()).unwrap();
        let _ = client.read(&mut [0]); // until the client leaves
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
        let request = reqwest_client().get(&server.url);
        let on_event = |event: eventwire::Event| {
            received.push(event.data().to_owned());
            events.send(()).unwrap();
        };
        patiently(follow(request, &file, stop, on_event)).await.unwrap();
    }
    assert_eq!(received, ["1", "2", "3", "4", "5", "6"]);
    let requests = server.requests();
    let ids: Vec<_> = requests.iter().map(|request| request.header("last-event-id")).collect();
    assert_eq!(ids, [vec![], vec!["2"], vec!["4"]]);
    assert_eq!(fs::read_to_string(&file).unwrap(), "6");
    fs::remove_file(file).unwrap();
}

#[tokio::test]
async fn a_failure_saves_it_too() {
    let stream = format!("{STREAM}retry: 1\nid: a\n\nid: b\ndata\n\n");
    let server = Script::new(&[&stream, "HTTP/1.1 404 Not Found\r\n\r\n"]);
    let file = file("failure");
    let request = reqwest_client().get(&server.url);
    let error = patiently(follow(request, &file, future::pending::<()>(), |_| {})).await.unwrap_err();
    assert_eq!(error.to_string(), "the server answered 404 Not Found");
    assert_eq!(fs::read_to_string(&file).unwrap(), "b");
    fs::remove_file(file).unwrap();
}

#[tokio::test]
async fn a_file_that_cannot_be_read_is_an_error() {
    let server = server();
    let request = reqwest_client().get(&server.url);
    let folder = std::env::temp_dir();
    assert!(patiently(follow(request, &folder, future::pending::<()>(), |_| {})).await.is_err());
    assert_eq!(server.requests().len(), 0);
}
