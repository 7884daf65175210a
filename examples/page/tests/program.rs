//! The program: its command line, and that it serves.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};

use eventwire_test_support::Process;

const PROGRAM: &str = env!("CARGO_BIN_EXE_page");

#[test]
fn its_first_line_is_the_address_of_the_page() {
    let mut program = Process::start(PROGRAM, &["--listen", "127.0.0.1:0", "--tone"], &[]);
    let line = program.line();
    let address = line.strip_prefix("listening on http://").and_then(|rest| rest.strip_suffix("/\n")).expect(&line);
    let mut connection = TcpStream::connect(address).unwrap();
    write!(connection, "GET /style.css HTTP/1.0\r\nhost: {address}\r\n\r\n").unwrap();
    let mut answer = String::new();
    connection.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.0 200 OK\r\n") && answer.contains("content-type: text/css"), "{answer}");
}

#[test]
fn mistakes_are_one_line() {
    let run = |args: &[&str]| Process::start(PROGRAM, args, &[]).end();
    run(&["--nonsense"]).failed("", &["page: ", "--nonsense", "--help"]);
    run(&["--model", "m"]).failed("", &["page: --model-url and --model belong together", "--help"]);
    let taken = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let mut program = Process::start(PROGRAM, &["--listen", &address], &[]);
    let mut said = program.error_line();
    // Only if the page has not been built, or there is no speech.
    while ["not built", "not installed"].iter().any(|words| said.contains(words)) {
        said = program.error_line();
    }
    assert!(
        said.starts_with("page: cannot listen on ") && said.contains(&address) && said.contains("--listen"),
        "{said}"
    );
    assert_ne!(program.end().code, Some(0));
}
