//! The program's command line.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;

use eventwire_test_support::{PATIENCE, Process};
use reqwest::Method;
use reqwest::header::{AUTHORIZATION, HOST};
use serde_json::json;
use tokio::time::timeout;

use crate::client::{Answer, CHAT, Gateway, chat, send, with};

const PROGRAM: &str = env!("CARGO_BIN_EXE_gateway");

#[tokio::test]
async fn the_first_line_is_the_address() {
    let (_program, gateway) = start(&[]);
    let port = gateway.url.strip_prefix("http://127.0.0.1:").expect(&gateway.url);
    assert_ne!(port.parse::<u16>().unwrap(), 0);
    assert_eq!(gateway.get("/v1/models").await.status, 200);
}

#[tokio::test]
async fn the_options_reach_the_server() {
    let (_program, gateway) =
        start(&["--api-key", "sesame", "--delay", "40", "--host", "one.example", "--host", "two.example"]);
    assert_eq!(gateway.get("/v1/models").await.status, 401);
    let start = std::time::Instant::now();
    let words = gateway.request(Method::GET, "/v1/events?text=one+two+three").header(AUTHORIZATION, "Bearer sesame");
    let words = Answer::of(words).await;
    assert_eq!((words.status, words.body.matches("event: word").count()), (200, 3));
    assert!(start.elapsed().as_millis() >= 80, "{:?}", start.elapsed());
    for (host, status) in [("one.example", 401), ("two.example:80", 401), ("three.example", 421)] {
        let answer = Answer::of(gateway.request(Method::GET, "/v1/models").header(HOST, host)).await;
        assert_eq!(answer.status, status, "{host}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn ctrl_c_ends_open_streams() {
    // The second token comes after this test has timed out.
    let (program, gateway) = start(&["--delay", "3600000"]);
    let mut open = Vec::new();
    for _ in 0..5 {
        let chat = with(chat("one two"), &json!({ "stream": true })).to_string();
        let requests =
            [gateway.request(Method::GET, "/v1/events?text=one+two"), gateway.request(Method::POST, CHAT).body(chat)];
        for request in requests {
            let mut response = send(request).await;
            let mut read = String::new();
            while !read.contains("one ") {
                let chunk = timeout(PATIENCE, response.chunk()).await.expect("the first token").unwrap();
                read += str::from_utf8(&chunk.expect("more of the stream")).unwrap();
            }
            open.push((response, read));
        }
    }
    program.interrupt();
    let mut times = BTreeSet::new();
    for (response, read) in open {
        // This would be an error if a chunk of HTTP were incomplete.
        let rest = timeout(PATIENCE, response.text()).await.expect("the end of the stream").unwrap();
        assert!(read.ends_with("\n\n"), "{read:?}");
        let time = rest.strip_prefix("retry: ").and_then(|rest| rest.strip_suffix("\n\n")).expect(&rest);
        let time: u64 = time.parse().expect(time);
        assert!((1000..=5000).contains(&time), "{time}");
        times.insert(time);
    }
    assert!(times.len() > 1, "each client gets a different time: {times:?}");
    let end = program.end();
    assert_eq!((end.code, end.out.as_str(), end.err.as_str()), (Some(0), "", ""));
}

#[cfg(unix)]
#[test]
fn a_second_ctrl_c_does_not_wait_for_clients() {
    let (program, gateway) = start(&[]);
    let address = gateway.url.strip_prefix("http://").unwrap();
    // A request whose body is never sent. The server answers "continue" when it waits for the body.
    let mut client = TcpStream::connect(address).unwrap();
    let head = "POST /v1/completions HTTP/1.1\r\nhost: localhost\r\ncontent-length: 2\r\nexpect: 100-continue\r\n\r\n";
    client.write_all(head.as_bytes()).unwrap();
    let mut answer = [0; 12];
    client.read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"HTTP/1.1 100");
    program.interrupt();
    // The server has received the first signal when it no longer listens.
    while TcpStream::connect(address).is_ok() {
        thread::yield_now();
    }
    program.interrupt();
    program.end().failed("", &["gateway: interrupted"]);
}

#[test]
fn a_port_that_is_taken() {
    let taken = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let address = taken.local_addr().unwrap().to_string();
    fails(&["--listen", &address], &[&address, "in use", "--listen"]);
}

#[test]
fn help_is_not_an_error() {
    for flag in ["--help", "-h"] {
        let end = Process::start(PROGRAM, &[flag], &[]).end();
        assert_eq!((end.code, end.err.as_str()), (Some(0), ""));
        for word in ["Usage: gateway", "--listen", "--api-key", "--host", "--delay", "/v1/chat/completions"] {
            assert!(end.out.contains(word), "{}", end.out);
        }
    }
}

#[test]
fn a_mistake_on_the_command_line() {
    fails(&["--nonsense"], &["--nonsense", "--help"]);
    fails(&["--non\nsense"], &["--non\\nsense", "--help"]);
    fails(&["file"], &["\"file\"", "--help"]);
    fails(&["--delay"], &["--delay", "--help"]);
    fails(&["--delay", "soon"], &["\"soon\"", "--help"]);
    fails(&["--delay", "-1"], &["\"-1\"", "--help"]);
    fails(&["--listen", "no\nwhere"], &["\"no\\nwhere\"", "--listen"]);
}

/// Returns the program, which is killed when it is dropped, and a client for it.
fn start(args: &[&str]) -> (Process, Gateway) {
    let mut program = Process::start(PROGRAM, &[&["--listen", "127.0.0.1:0"], args].concat(), &[]);
    let line = program.line();
    let url = line.strip_prefix("listening on ").and_then(|rest| rest.strip_suffix('\n')).expect(&line);
    (program, Gateway::at(url.into()))
}

#[track_caller]
fn fails(args: &[&str], said: &[&str]) {
    let end = Process::start(PROGRAM, args, &[]).end();
    assert!(end.err.starts_with("gateway: "), "{:?}", end.err);
    end.failed("", said);
}
