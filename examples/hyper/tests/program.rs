//! The program `hyper-client`: what it prints, and how it ends.

// Miri cannot start processes.
#![cfg(not(miri))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

use std::io::{BufReader, Write};
use std::net::{Shutdown, TcpListener};
use std::thread;

use eventwire_test_support::{End, Process, head};

const STREAM: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";
const NO_CONTENT: &str = "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n";

#[test]
fn it_prints_events_and_reconnects() {
    let first = format!("{STREAM}retry: 1\nid: 1\nevent: a\u{202E}\ndata: one\u{1B}\ndata: two\n\n");
    let second = format!("{STREAM}event: tick\nid: 2\ndata: three\n\n");
    let (url, requests) = serve(vec![first, second, NO_CONTENT.into()]);
    let end = run(&[&url]);
    assert_eq!((end.code, end.out.as_str()), (Some(0), "a\\u{202e} [1] one\\u{1b}\\ntwo\ntick [2] three\n"));
    // The delays have jitter, and they are printed rounded.
    let lines: Vec<&str> = end.err.lines().collect();
    assert_eq!(lines.len(), 2, "{}", end.err);
    for line in lines {
        let delay = line
            .strip_prefix("hyper-client: reconnecting in ")
            .and_then(|line| line.strip_suffix(": the connection ended"))
            .expect(line);
        assert!(delay.len() <= "999.9ms".len(), "{line}");
    }
    let requests = requests.join().unwrap();
    assert!(requests.iter().all(|head| head.contains("accept: text/event-stream\r\n")), "{requests:?}");
    assert!(requests[2].contains("last-event-id: 2\r\n"), "{requests:?}");
}

#[test]
fn a_server_that_refuses() {
    let (url, _) = serve(vec!["HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".into()]);
    fails(&[&url], &["404 Not Found", "check the URL"]);
}

#[test]
fn a_truncated_body() {
    let broken = STREAM.replace("\r\n\r\n", "\r\nContent-Length: 1000\r\n\r\nretry: 1\ndata: one\n\n");
    let (url, _) = serve(vec![broken, NO_CONTENT.into()]);
    let end = run(&[&url]);
    assert_eq!((end.code, end.out.as_str()), (Some(0), "message [] one\n"));
    // The error and its source are printed once each.
    assert_eq!(end.err.lines().count(), 1, "{}", end.err);
    assert!(end.err.starts_with("hyper-client: ") && end.err.contains("end of file before message"), "{}", end.err);
}

#[test]
fn a_mistake_on_the_command_line() {
    fails(&[], &["a URL", "http://127.0.0.1:8080/events"]);
    fails(&["http://127.0.0.1:1/", "more"], &["one argument"]);
    fails(&["no\nURL"], &["\"no\\nURL\" is not a URL: "]);
    fails(&["/events"], &["\"/events\" does not start with http://"]);
    fails(&["https://127.0.0.1/"], &["no TLS"]);
}

/// Starts a server that sends each of these answers on a separate connection. The thread returns the heads of the
/// requests.
fn serve(answers: Vec<String>) -> (String, thread::JoinHandle<Vec<String>>) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let url = format!("http://{}/events", listener.local_addr().unwrap());
    let requests = thread::spawn(move || {
        let answer = |answer: String| {
            let (mut client, _) = listener.accept().unwrap();
            let head = head(&mut BufReader::new(&client));
            client.write_all(answer.as_bytes()).unwrap();
            client.shutdown(Shutdown::Write).unwrap();
            head
        };
        answers.into_iter().map(answer).collect()
    });
    (url, requests)
}

#[track_caller]
fn fails(args: &[&str], said: &[&str]) {
    let end = run(args);
    assert!(end.err.starts_with("hyper-client: "), "{:?}", end.err);
    end.failed("", said);
}

fn run(args: &[&str]) -> End {
    Process::start(env!("CARGO_BIN_EXE_hyper-client"), args, &[]).end()
}
