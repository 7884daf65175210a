//! Graceful shutdown.

#![cfg(unix)]

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Command;

use eventwire_test_support::{PATIENCE, Process};
use tokio::time::timeout;

use crate::answers::{SLOW, ask};
use crate::app::{App, PROGRAM};

#[tokio::test]
async fn open_streams_and_answers_end() {
    let app = App::start(&SLOW);
    let answer = ask(&app, "Why?").await;
    let mut open = Vec::new();
    for path in ["/topics/room", "/topics?names=a,b", &answer].repeat(4) {
        let mut response = app.get(path).await;
        let read = response.chunk().await.unwrap().unwrap();
        assert!(read.ends_with(b"\n\n"), "{read:?}");
        open.push(response);
    }
    app.process.interrupt();
    let mut times = BTreeSet::new();
    for response in open {
        // It would be an error if a chunk of HTTP were incomplete.
        let rest = timeout(PATIENCE, response.text()).await.expect("the end of the stream").unwrap();
        let block = rest.trim_end().rsplit("\n\n").next().unwrap();
        let time: u64 = block.strip_prefix("retry: ").expect(&rest).parse().unwrap();
        assert!((1_000..=10_000).contains(&time), "{time}");
        times.insert(time);
    }
    assert!(times.len() > 1, "each reader gets a different time: {times:?}");
    let end = app.process.end();
    let id = answer.rsplit('/').next().unwrap();
    assert_eq!((end.code, end.err), (Some(0), format!("hub: answer {id}: stopped\n")));
}

#[test]
fn a_client_that_sends_nothing_is_not_waited_for() {
    let app = App::start(&[]);
    let mut client = TcpStream::connect(app.url.strip_prefix("http://").unwrap()).unwrap();
    client.set_read_timeout(Some(PATIENCE)).unwrap();
    let head = "POST /answers HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\
        expect: 100-continue\r\n\r\n";
    client.write_all(head.as_bytes()).unwrap();
    let mut answer = [0; 12];
    client.read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"HTTP/1.1 100");
    app.process.interrupt();
    app.process.end().printed("");
}

#[test]
fn sigterm() {
    let script = "echo $$; exec \"$0\" --listen 127.0.0.1:0";
    let mut process = Process::start("sh", &["-c", script, PROGRAM], &[]);
    let pid = process.line();
    let app = App::of(process);
    assert!(Command::new("kill").args(["-TERM", pid.trim()]).status().unwrap().success());
    app.process.end().printed("");
}
