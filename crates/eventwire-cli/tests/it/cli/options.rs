//! The options that change what is printed.

use std::io::Write;
use std::sync::mpsc;

use eventwire_test::{End, Script, TestServer};
use eventwire_test_support::by_hand;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;

use crate::cli::{EVENT_STREAM, header, reading, start};

const CHAT: &str = "data: {\"choices\":[{\"delta\":{\"content\":\"Two\\nli\"}}]}\n\n\
    : ping\n\nevent: usage\ndata: {\"tokens\": [1,2.50]}\n\n\
    data: {\"choices\":[{\"delta\":{\"content\":\"nes\\u001b\"}}]}\n\ndata: [DONE]\n\n";

#[test]
fn select_prints_texts_one_after_the_other() {
    reading(&["--select", "choices.0.delta.content"], CHAT).printed("Two\nlines\\u{1b}\n");
    reading(&["--select", "choices.0.delta.content", "--json"], CHAT).printed("\"Two\\nli\"\n\"nes\\u001b\"\n");
    reading(&["--select", "tokens"], CHAT).printed("[1,2.50]\n");
    reading(&["--select", "tokens.1"], CHAT).printed("2.50\n");
    // A value of another kind begins on a line of its own.
    reading(&["--select", "a"], "data: {\"a\":\"x\"}\n\ndata: {\"a\":1}\n\ndata: {\"a\":\"y\\n\"}\n\n")
        .printed("x\n1\ny\n");
    reading(
        &["--select", "a"],
        "data: {\"a\": {\"b\": 12345678901234567890123,\ndata: \"a\": [\"\u{202E} \\\\\"]}}\n\n",
    )
    .printed("{\"b\":12345678901234567890123,\"a\":[\"\\u202e \\\\\"]}\n");
    reading(&["--select", "a", "--comments"], "data: {\"a\":\"x\"}\n\n: ping\ndata: {\"a\":\"y\"}\n\n")
        .printed("x\n: ping\ny\n");
    reading(&["--select", "b.c"], CHAT).failed("", &["no event has a value at b.c; check the --select"]);
}

#[test]
fn pretty_indents_json() {
    let printed = "usage {\n      \"tokens\": [\n        1,\n        2.50\n      ]\n    }\n";
    reading(&["--pretty", "--event", "usage"], CHAT).printed(printed);
    reading(&["--pretty"], "data: [DONE]\n\n").printed("message [DONE]\n");
}

#[test]
fn types_and_counts() {
    let stream = "data: 1\n\nevent: a\ndata: 2\n\nevent: b\ndata: 3\n\nevent: a\ndata: 4\n\n";
    reading(&["--event", "a"], stream).printed("a 2\na 4\n");
    reading(&["--event", "b", "--event", "message"], stream).printed("message 1\nb 3\n");
    reading(&["-n", "2"], stream).printed("message 1\na 2\n");
    reading(&["--count=1", "--event", "a"], stream).printed("a 2\n");
    reading(&["--event", "c"], stream).failed("", &["no event has the type c; check the --event"]);
}

#[test]
fn after_the_last_event_the_program_ends() {
    let server = TestServer::new().answer(Script::new().send("data: 1\n\ndata: 2\n\n").with_end(End::Stall));
    start(&["-n", "2", "--follow", &server.url()]).end().printed("message 1\nmessage 2\n");
}

#[test]
fn an_unfinished_event_is_printed_on_request() {
    let note = "eventwire: the stream ended inside the last event, which was printed without its end\n";
    for (stream, printed, err) in [
        ("data: 1\n\ndata: 2", "message 1\nmessage 2\n", note),
        ("data: 1\n\ndata: 2\n", "message 1\nmessage 2\n", note),
        ("data: 1\n\n", "message 1\n", ""),
        ("data: 1\n\nid: 2\n", "message 1\n", ""),
    ] {
        let server = TestServer::new().answer(Script::new().send(stream));
        for end in [reading(&["--unfinished"], stream), start(&["--unfinished", &server.url()]).end()] {
            assert_eq!((end.code, end.out.as_str(), end.err.as_str()), (Some(0), printed, err), "{stream:?}");
        }
    }
}

#[test]
fn the_head_of_the_answer() {
    let head = EVENT_STREAM.replace("\r\n\r\n", "\r\nX-Two: \u{202E}\r\n\r\n");
    let answer = Script::raw(head).send("data: 1\n\n");
    let server = TestServer::new().answers([answer.clone(), answer]);
    start(&["-i", &server.url()])
        .end()
        .printed("HTTP/1.1 200 OK\ncontent-type: text/event-stream\nx-two: \\u{202e}\n\nmessage 1\n");
    let end = start(&["--include", "--json", &server.url()]).end();
    let head: Value = serde_json::from_str(end.out.lines().next().unwrap()).unwrap();
    assert_eq!(head["status"], 200);
    assert_eq!(head["headers"][1], serde_json::json!(["x-two", "\u{202E}"]));
    assert!(!end.out.contains('\u{202E}'), "{:?}", end.out);
}

#[test]
fn verbose_tells_the_times() {
    let server = TestServer::new().answer(Script::raw(EVENT_STREAM).send("data: 1\n\ndata: 2\n\n"));
    let end = start(&["-v", "-H", "Authorization: secret", &server.url()]).end();
    assert_eq!((end.code, end.out.as_str()), (Some(0), "message 1\nmessage 2\n"));
    let lines: Vec<&str> = end.err.lines().collect();
    let [request, status, header, first, sum] = lines[..] else { panic!("{lines:?}") };
    assert_eq!(request, format!("* GET {}", server.url()));
    assert!(status.starts_with("* HTTP/1.1 200 OK after 0."), "{status}");
    assert_eq!(header, "* content-type: text/event-stream");
    assert!(first.starts_with("* first byte after ") && first.contains(", first event after "), "{first}");
    assert!(sum.starts_with("* 2 events, 18 bytes in ") && sum.ends_with(" events/s"), "{sum}");
    assert!(!end.err.contains("secret"), "{}", end.err);
}

#[test]
fn verbose_counts_all_connections_and_all_events() {
    let server = TestServer::new().answers([
        Script::new().send("retry: 1\ndata: 1\n\nevent: a\ndata: 2\n\n"),
        Script::status(503).header("retry-after", "0").header("x-why", "busy"),
        Script::new().send("event: a\ndata: 3\n\n"),
        Script::status(204),
    ]);
    let end = start(&["-v", "-f", "--event", "a", &server.url()]).end();
    assert_eq!((end.code, end.out.as_str()), (Some(0), "a 2\na 3\n"));
    assert!(end.err.contains("* x-why: busy\n"), "{}", end.err);
    assert!(end.err.lines().last().unwrap().starts_with("* 3 events, 54 bytes in "), "{}", end.err);
}

#[test]
fn the_head_of_a_refusal() {
    let answer = Script::raw("HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Bearer\r\n\r\n");
    let server = TestServer::new().answers([answer.clone(), answer]);
    let end = start(&["-i", &server.url()]).end();
    end.failed("HTTP/1.1 401 Unauthorized\nwww-authenticate: Bearer\n\n", &["answered 401", "send credentials"]);
    let end = start(&["-v", &server.url()]).end();
    assert!(end.err.contains("* HTTP/1.1 401 Unauthorized after 0."), "{}", end.err);
    assert!(end.err.contains("* www-authenticate: Bearer\n"), "{}", end.err);
}

#[test]
fn options_may_come_twice_and_values_may_start_with_a_hyphen() {
    reading(&["--json", "--json"], "data: 1\n\n").printed("{\"event\":\"message\",\"data\":\"1\"}\n");
    reading(&["-n", "1", "-n", "2"], "data: 1\n\ndata: 2\n\n").printed("message 1\nmessage 2\n");
    reading(&["--event", "-a"], "event: -a\ndata: 1\n\n").printed("-a 1\n");
    reading(&["--select", "-a"], "data: {\"-a\":1}\n\n").printed("1\n");
    let server = TestServer::new().answer(Script::new().send("data: 1\n\n"));
    start(&["-d", "-1", "--last-event-id", "-5", "-H", "-: x", "-H", "X-Two: 2", &server.url()])
        .end()
        .printed("message [-5] 1\n");
    let request = server.requests().remove(0);
    assert_eq!(request.body(), "-1");
    for (name, value) in [("last-event-id", "-5"), ("-", "x"), ("x-two", "2")] {
        assert_eq!(header(&request, name), [value]);
    }
}

#[test]
fn a_silent_server_is_left_after_the_timeout() {
    let answers = [Script::new().send("data: 1\n\n"), Script::raw("")].map(|script| script.with_end(End::Stall));
    let server = TestServer::new().answers(answers);
    let url = server.url();
    start(&["--timeout", "0.5", &url]).end().failed("message 1\n", &["no data received", "use a longer --timeout"]);
    start(&["--timeout", "0.5", &url]).end().failed("", &["no response received", "use a longer --timeout"]);
}

#[test]
fn methods() {
    let server = TestServer::new().answer(Script::new().send("data: 1\n\n"));
    start(&["-X", "PUT", "-d", "body", &server.url()]).end().printed("message 1\n");
    let request = server.requests().remove(0);
    assert_eq!((request.method().as_str(), &request.body()[..]), ("PUT", &b"body"[..]));
    assert_eq!(header(&request, "accept-encoding"), ["identity"]);
}

/// Compresses each text, and flushes after it.
fn gzip(texts: &[&str]) -> Vec<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    let mut pieces: Vec<Vec<u8>> = texts
        .iter()
        .map(|text| {
            encoder.write_all(text.as_bytes()).unwrap();
            encoder.flush().unwrap();
            std::mem::take(encoder.get_mut())
        })
        .collect();
    pieces.push(encoder.finish().unwrap());
    pieces
}

#[test]
fn a_compressed_event_is_printed_as_soon_as_it_is_flushed() {
    let mut pieces = gzip(&["data: 1\n\n", "data: 2\n\n"]).into_iter();
    let mut piped = start(&["-"]);
    let (go, wait) = mpsc::channel::<Vec<u8>>();
    let url = by_hand(move |mut client| {
        let head = EVENT_STREAM.replace("\r\n\r\n", "\r\nContent-Encoding: gzip\r\n\r\n");
        client.write_all(head.as_bytes()).unwrap();
        wait.iter().for_each(|piece| client.write_all(&piece).unwrap());
    });
    let mut fetched = start(&[&url]);
    for event in ["message 1\n", "message 2\n"] {
        let piece = pieces.next().unwrap();
        piped.feed(&piece);
        assert_eq!(piped.line(), event);
        go.send(piece).unwrap();
        assert_eq!(fetched.line(), event);
    }
    let end = pieces.next().unwrap();
    piped.feed(&end);
    piped.end().printed("");
    go.send(end).unwrap();
    drop(go);
    fetched.end().printed("");
}

#[test]
fn a_file_that_expands_does_not_fill_the_memory() {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    let line = format!("data: {}\n", "x".repeat(1 << 20));
    for _ in 0..100 {
        encoder.write_all(line.as_bytes()).unwrap();
    }
    encoder.write_all(b"\n\ndata: after\n\n").unwrap();
    let end = reading(&[], encoder.finish().unwrap());
    end.failed("message after\n", &["larger than the limit of 16777216 bytes"]);
}

#[test]
fn an_event_in_brotli_is_printed_as_soon_as_it_is_flushed() {
    // A stream of brotli whose one block is not compressed, and its end.
    const EVENT: &[u8] = b"\x0b\x04\x80data: 1\n\n";
    const END: &[u8] = b"\x03";
    let (go, wait) = mpsc::channel::<()>();
    let url = by_hand(move |mut client| {
        let head = EVENT_STREAM.replace("\r\n\r\n", "\r\nContent-Encoding: br\r\n\r\n");
        client.write_all(head.as_bytes()).unwrap();
        client.write_all(EVENT).unwrap();
        wait.recv().unwrap();
        client.write_all(END).unwrap();
    });
    let mut program = start(&[&url]);
    assert_eq!(program.line(), "message 1\n");
    go.send(()).unwrap();
    program.end().printed("");
}

#[test]
fn a_response_that_hides_its_compression_is_explained() {
    let server = TestServer::new().answer(Script::new().send(gzip(&["data: 1\n\n"]).concat()));
    start(&[&server.url()]).end().failed("", &["it is compressed", "pipe it into eventwire -"]);
}

#[test]
fn completions_and_the_manual_page() {
    for (kind, said) in [
        ("bash", "_eventwire()"),
        ("zsh", "#compdef eventwire"),
        ("fish", "complete -c eventwire"),
        ("elvish", "eventwire"),
        ("powershell", "eventwire"),
        ("man", "follow the protocol of a model service"),
    ] {
        let end = start(&["--generate", kind]).end();
        assert_eq!((end.code, end.err.as_str()), (Some(0), ""), "{kind}");
        for word in [said, "select", "check", "dialect", "record", "force", "serve", "garbage"] {
            assert!(end.out.contains(word), "{word}: {kind}");
        }
    }
}
