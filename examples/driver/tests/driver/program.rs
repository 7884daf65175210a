//! The program.

use eventwire_test_support::{End, Process, serve};
use std::{
    io::{Read, Write},
    net::{Shutdown, TcpListener, TcpStream},
    sync::mpsc,
};

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
    let lines: Vec<_> = lines.collect();
    assert_eq!(
        lines,
        [
            "-- POST /v1/responses",
            "driver: the connection ended inside an event; trying",
            "-- GET /v1/responses/resp_1?stream=true&starting_after=8",
            "11 tokens read, 27 tokens written"
        ]
    );
}

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
    let refusal = "HTTP/1.1 401 Unauthorized\r\n\r\n{\"error\":{\"message\":\"You didn't provide an API key.\"}}";
    let (end, head) = answered(refusal.to_owned(), &[]);
    end.failed("\n", &["driver: the server answered 401 Unauthorized: You didn't provide an API key.\n"]);
    assert!(!head.contains("authorization:"), "{head:?}");
    answered(format!("{STREAM}{DELTA}"), &[])
        .0
        .failed("Hi\\u{202e}\\u{1b}[2J!\n", &["driver: there is no complete answer"]);
}

#[test]
fn each_retry_is_printed() {
    // Nothing listens on the local port of a connection, and no other process can get it in the meantime.
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let connection = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let base_url = format!("http://{}/v1", connection.local_addr().unwrap());
    let mut program = Process::start(PROGRAM, &["--base-url", &base_url, "prompt"], &[]);
    for _ in 0..2 {
        let line = program.error_line();
        assert!(line.starts_with("driver: ") && line.contains("onnection refused"), "{line:?}");
        let (_, delay) = line.split_once("; trying again in ").expect(&line);
        delay.strip_suffix(" s\n").expect(&line).parse::<f32>().expect(&line);
    }
}

#[test]
fn the_command_line() {
    let run = |args: &[&str]| Process::start(PROGRAM, args, &[]).end();
    let help = run(&["--help"]);
    assert_eq!((help.code, help.err.as_str()), (Some(0), ""));
    assert!(help.out.contains("Usage: driver"), "{help:?}");
    run(&["--no\n"]).failed("", &["driver: ", "--no\\n", "--help"]);
    run(&["one", "two"]).failed("", &["driver: ", "\"two\"", "--help"]);
    run(&["--model", "any"]).failed("", &["there is no prompt", "--help"]);
    let wrong = "is not a base URL; write it as http://host:port/v1";
    run(&["--base-url", "elsewhere", "a"]).failed("", &["\"elsewhere\"", wrong]);
    run(&["--base-url", "ftp://127.0.0.1", "a"]).failed("", &["\"ftp://127.0.0.1\"", wrong]);
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
