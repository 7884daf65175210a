//! The program.

use std::io::{Read, Write};
use std::net::Shutdown;
use std::sync::mpsc;

use eventwire_test_support::{End, Process, serve};

const PROGRAM: &str = env!("CARGO_BIN_EXE_driver");
const STREAM: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";
const DELTA: &str = "data: {\"type\":\"response.output_text.delta\",\"delta\":\"Hi\\u202e\\u001b[2J!\"}\n\n";
const LAST: &str = "data: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\",\
    \"usage\":{\"input_tokens\":3,\"output_tokens\":9}}}\n\n";

#[test]
fn alone_it_continues_an_answer() {
    let end = Process::start(PROGRAM, &[], &[]).end();
    assert_eq!(end.code, Some(0), "{end:?}");
    assert!(end.out.starts_with("The connection breaks") && end.out.ends_with("you pay once.\n"), "{end:?}");
    // The delay of a retry has jitter.
    let lines = end.err.lines().filter(|line| !line.is_empty()).map(|line| line.split(" again in ").next().unwrap());
    assert_eq!(
        lines.collect::<Vec<_>>(),
        [
            "-- POST /v1/responses",
            "driver: the stream is truncated: the connection ended early; trying",
            "-- GET /v1/responses/resp_1?stream=true&starting_after=8",
            "11 tokens read, 27 tokens written"
        ]
    );
}

/// What a terminal may obey is escaped.
#[test]
fn an_answer() {
    let (end, head) = answered(format!("{STREAM}{DELTA}{LAST}"), &[("OPENAI_API_KEY", "sesame")]);
    assert_eq!((end.code, end.out.as_str()), (Some(0), "Hi\\u{202e}\\u{1b}[2J!\n"), "{end:?}");
    assert_eq!(end.err, "3 tokens read, 9 tokens written\n");
    assert!(head.starts_with("POST /events/responses HTTP/1.1\r\n"), "{head:?}");
    assert!(head.contains("\r\nauthorization: Bearer sesame\r\n"), "{head:?}");
}

#[test]
fn failures() {
    let refusal = "HTTP/1.1 401 Unauthorized\r\n\r\n{\"error\":{\"message\":\"No\\u001b[2J key.\"}}";
    let (end, head) = answered(refusal.to_owned(), &[]);
    end.failed("", &["driver: the server answered 401 Unauthorized: No\\u{1b}[2J key.\n"]);
    assert!(!head.contains("authorization:"), "{head:?}");
    let (end, _) = answered(format!("{STREAM}{DELTA}"), &[]);
    end.failed("Hi\\u{202e}\\u{1b}[2J!\n", &["driver: there is no complete answer"]);
}

#[test]
fn the_command_line() {
    let run = |args: &[&str]| Process::start(PROGRAM, args, &[]).end();
    let help = run(&["--help"]);
    assert_eq!((help.code, help.err.as_str()), (Some(0), ""));
    assert!(help.out.contains("Usage: driver"), "{help:?}");
    run(&["--no\n"]).failed("", &["driver: ", "--no\\n", "--help"]);
    run(&["--model", "any"]).failed("", &["there is no prompt", "--help"]);
    run(&["--base-url", "elsewhere", "a"]).failed("", &["driver: ", "URL"]);
}

/// Asks a server that answers with these bytes and closes the connection. Also returns the head of the request.
fn answered(bytes: String, environment: &[(&str, &str)]) -> (End, String) {
    let (sender, receiver) = mpsc::channel();
    let url = serve(move |head, mut client| {
        sender.send(head).unwrap();
        client.write_all(bytes.as_bytes()).unwrap();
        client.shutdown(Shutdown::Write).unwrap();
        let _ = client.read_to_end(&mut Vec::new());
    });
    let end = Process::start(PROGRAM, &["--base-url", &format!("{url}/"), "prompt"], environment).end();
    (end, receiver.recv().unwrap())
}
