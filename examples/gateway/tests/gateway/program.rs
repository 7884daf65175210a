//! The program.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;

use eventwire_test_support::{PATIENCE, Process};
use reqwest::Method;
use reqwest::header::HOST;
use tokio::time::timeout;

use crate::client::{Answer, Gateway, first_token};

const PROGRAM: &str = env!("CARGO_BIN_EXE_gateway");

/// Returns the program, which is killed when it is dropped, and a client for it.
fn start(args: &[&str]) -> (Process, Gateway) {
    let mut program = Process::start(PROGRAM, &[&["--listen", "127.0.0.1:0"], args].concat(), &[]);
    let line = program.line();
    let url = line.strip_prefix("listening on ").and_then(|rest| rest.strip_suffix('\n')).expect(&line);
    (program, Gateway::at(url.into()))
}

#[tokio::test]
async fn the_options_reach_the_server() {
    let (_program, gateway) = start(&["--api-key", "sesame", "--host", "one.example", "--host", "two.example"]);
    for (host, status) in [("one.example", 401), ("two.example:80", 401), ("three.example", 421)] {
        let answer = Answer::of(gateway.request(Method::GET, "/v1/models").header(HOST, host)).await;
        assert_eq!(answer.status, status, "{host}");
    }
    assert_eq!(gateway.get("/v1/events?text=a&api_key=sesame").await.status, 200);
}

#[cfg(unix)]
#[tokio::test]
async fn ctrl_c_ends_open_streams() {
    // The second token comes after this test has timed out.
    let (program, gateway) = start(&["--delay", "3600000"]);
    let mut open = Vec::new();
    for _ in 0..10 {
        open.push(first_token(&gateway).await);
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
    program.end().printed("");
}

#[cfg(unix)]
#[test]
fn a_second_ctrl_c_does_not_wait_for_clients() {
    let (program, gateway) = start(&[]);
    // A request whose body is never sent. The server answers "continue" when it waits for the body.
    let mut client = gateway.connect();
    let head = "POST /v1/completions HTTP/1.1\r\nhost: localhost\r\ncontent-length: 2\r\nexpect: 100-continue\r\n\r\n";
    client.write_all(head.as_bytes()).unwrap();
    let mut answer = [0; 12];
    client.read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"HTTP/1.1 100");
    program.interrupt();
    // The server has received the first signal when it no longer listens.
    while TcpStream::connect(client.peer_addr().unwrap()).is_ok() {
        thread::yield_now();
    }
    program.interrupt();
    program.end().failed("", &["gateway: interrupted"]);
}

#[test]
fn the_command_line() {
    let run = |args: &[&str]| Process::start(PROGRAM, args, &[]).end();
    let help = run(&["--help"]);
    assert_eq!((help.code, help.err.as_str()), (Some(0), ""));
    assert!(help.out.contains("Usage: gateway"), "{}", help.out);
    run(&["--nonsense"]).failed("", &["gateway: ", "--nonsense", "--help"]);
    run(&["--delay", "soon"]).failed("", &["gateway: ", "\"soon\"", "--help"]);
    let taken = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let address = taken.local_addr().unwrap().to_string();
    run(&["--listen", &address]).failed("", &["gateway: ", &address, "in use", "--listen"]);
}
