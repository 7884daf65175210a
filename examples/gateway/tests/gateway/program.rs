//! The program's command line.

use std::net::TcpListener;

use eventwire_test_support::Process;
use reqwest::Method;
use reqwest::header::AUTHORIZATION;

use crate::client::{Answer, Gateway};

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
    let (_program, gateway) = start(&["--api-key", "sesame", "--delay", "40"]);
    assert_eq!(gateway.get("/v1/models").await.status, 401);
    let start = std::time::Instant::now();
    let words = gateway.request(Method::GET, "/v1/events?text=one+two+three").header(AUTHORIZATION, "Bearer sesame");
    let words = Answer::of(words).await;
    assert_eq!((words.status, words.body.matches("event: word").count()), (200, 3));
    assert!(start.elapsed().as_millis() >= 80, "{:?}", start.elapsed());
}

#[test]
fn a_port_that_is_taken() {
    let taken = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let address = taken.local_addr().unwrap().to_string();
    fails(&["--listen", &address], &[&address, "in use", "--listen"]);
}

#[test]
fn help_is_no_error() {
    for flag in ["--help", "-h"] {
        let end = Process::start(PROGRAM, &[flag], &[]).end();
        assert_eq!((end.code, end.err.as_str()), (Some(0), ""));
        for word in ["Usage: gateway", "--listen", "--api-key", "--delay", "/v1/chat/completions"] {
            assert!(end.out.contains(word), "{}", end.out);
        }
    }
}

#[test]
fn a_mistake_on_the_command_line() {
    fails(&["--nonsense"], &["--nonsense", "--help"]);
    fails(&["file"], &["\"file\"", "--help"]);
    fails(&["--delay"], &["--delay", "--help"]);
    fails(&["--delay", "soon"], &["\"soon\"", "--help"]);
    fails(&["--delay", "-1"], &["\"-1\"", "--help"]);
    fails(&["--listen", "no\nwhere"], &["\"no\\nwhere\"", "--listen"]);
}

/// The program, which is killed when it is dropped, and a client of it.
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
