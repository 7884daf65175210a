//! Streams of JSON lines, which are read like events.

use std::io::Write;
use std::sync::mpsc;

use eventwire_test::{Script, TestServer};
use eventwire_test_support::by_hand;

use crate::cli::{fails, header, reading, start};

const OLLAMA: &str = "{\"message\":{\"content\":\"Hel\"},\"done\":false}\r\n\n{\"message\":{\"content\":\"lo\"},\"done\":false}\n\
    {\"message\":{\"content\":\"\"},\"done\":true}\n";

/// Starts a server that answers once, with this content type if there is one.
fn answers(content_type: Option<&str>, body: &str) -> TestServer {
    let script = Script::status(200).send(body.to_owned());
    TestServer::new().answer(match content_type {
        Some(content_type) => script.header("content-type", content_type),
        None => script,
    })
}

#[test]
fn values_are_selected_from_lines() {
    reading(&["--select", "message.content"], OLLAMA).printed("Hello\n");
    for content_type in
        [Some("application/x-ndjson"), Some("application/jsonl"), Some("application/json;stream=watch"), None]
    {
        let server = answers(content_type, OLLAMA);
        start(&["--select", "message.content", &server.url()]).end().printed("Hello\n");
        assert_eq!(header(&server.requests()[0], "accept"), ["text/event-stream"]);
    }
    reading(&["-n", "1"], OLLAMA).printed("message {\"message\":{\"content\":\"Hel\"},\"done\":false}\n");
    reading(&["--select", "x"], OLLAMA).failed("", &["no event has a value at x; check the --select"]);
    reading(&["--select", "a"], "{\"a\":1}\n{\"error\":\"busy\"}\n").failed("1\n", &["reported an error: busy"]);
    // The headers are shown as they were sent.
    let end = start(&["-i", &answers(Some("application/x-ndjson"), "{}\n").url()]).end();
    assert!(
        end.out.contains("content-type: application/x-ndjson\n") && end.out.ends_with("message {}\n"),
        "{}",
        end.out
    );
    let end = start(&["-i", &answers(None, "{}\n").url()]).end();
    assert!(!end.out.contains("content-type") && end.out.ends_with("message {}\n"), "{}", end.out);
}

#[test]
fn lines_are_printed_as_they_arrive() {
    let (go, wait) = mpsc::channel::<&str>();
    let url = by_hand(move |mut client| {
        client.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n").unwrap();
        wait.iter().for_each(|text| client.write_all(text.as_bytes()).unwrap());
    });
    let mut from_url = start(&[&url]);
    let mut from_pipe = start(&["-"]);
    for text in ["{\"a\":1}\n", "{\"a\":2}\r"] {
        go.send(text).unwrap();
        from_pipe.feed(text.as_bytes());
        let printed = format!("message {}\n", text.trim_end());
        assert_eq!((from_url.line(), from_pipe.line()), (printed.clone(), printed));
    }
    drop(go);
    from_url.end().printed("");
    from_pipe.end().printed("");
}

#[test]
fn a_last_line_without_its_end() {
    reading(&["--select", "a"], "{\"a\":1}\n{\"a\":2}").printed("1\n2\n");
    reading(&["--select", "a"], "{\"a\":1}\n{\"a\":")
        .failed("1\n", &["the last line is not complete JSON", "--unfinished"]);
    let server = answers(Some("application/x-ndjson"), "{\"a\":1}\n{\"a\":");
    start(&["--select", "a", &server.url()]).end().failed("1\n", &["the stream is truncated"]);
}

/// It fails like one with its end.
#[test]
fn a_last_line_that_is_too_large_is_reported() {
    const LIMIT: usize = 16 << 20;
    for (len, end) in [(LIMIT, ""), (LIMIT, "\n"), (LIMIT + 1, ""), (LIMIT + 1, "\n")] {
        let line = format!("\"{}\"{end}", "x".repeat(len - 2));
        let said = "the event is larger than the limit of 16777216 bytes; it was skipped, and the stream continues";
        reading(&[], format!("{{}}\n{line}")).failed("message {}\n", &[said]);
    }
}

/// A server may report an error as a line of JSON before its events.
#[test]
fn events_after_a_line_of_json() {
    let body = "{\"error\":\"x\"}\n\ndata: 1\n\nid: 3\ndata: 2\n\n";
    let events = "message {\"error\":\"x\"}\nmessage 1\nmessage [3] 2\n";
    reading(&[], body).printed(events);
    for content_type in [Some("application/x-ndjson"), Some("application/json"), None] {
        start(&[&answers(content_type, body).url()]).end().printed(events);
    }
    reading(&[], "{}\ndata: 1").failed("message {}\n", &["the stream is truncated", "each must end with a blank line"]);
    assert_eq!(reading(&["--unfinished"], "{}\ndata: 1").out, "message {}\nmessage 1\n");
}

#[test]
fn other_json_is_no_stream() {
    for text in ["{\n  \"a\": 1\n}\n", "{\"a\": 1}", "[1]\n[2]\n"] {
        reading(&[], text).failed("", &["no event in standard input; is it an event stream? it starts with "]);
        let server = answers(Some("application/json"), text);
        fails(&[&server.url()], &["the server answered with the content type \"application/json\": "]);
    }
    // `.open_lines()` of the library refuses this type as well.
    let server = answers(Some("text/x-ndjson"), "{\"a\":1}\n");
    fails(&[&server.url()], &["the server answered with the content type \"text/x-ndjson\": "]);
    // An answer that has a length is not a stream, and an error is none either.
    let json = Script::status(200).header("content-type", "application/json").header("content-length", "8");
    let server = TestServer::new().answer(json.send("{\"a\":1}\n"));
    fails(&[&server.url()], &["the server answered with the content type \"application/json\": "]);
    let error = Script::status(404).header("content-type", "application/x-ndjson");
    let server = TestServer::new().answer(error.send("{\"error\":\"no such model\"}\n"));
    let end = start(&[&server.url()]).end();
    assert!(!end.err.contains("data:"), "{}", end.err);
    end.failed("", &["the server answered 404 Not Found: ", "no such model"]);
}
