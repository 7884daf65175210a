//! What is printed of an input, whatever it comes from.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use eventwire_test::{Script, TestServer};
use eventwire_test_support::by_hand;
use serde_json::Value;

use crate::cli::{EVENT_STREAM, reading, start};

/// Runs the program on this input from standard input, a file and a URL. Each time it prints `out`, exits with `code`,
/// and says `err`, in which `PLACE` stands for the input.
#[track_caller]
fn check(options: &[&str], input: impl AsRef<[u8]>, code: i32, out: &str, err: &str) {
    let input = input.as_ref().to_owned();
    let line = std::panic::Location::caller().line();
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("input-{line}-{}.sse", input.len()));
    fs::write(&path, &input).unwrap();
    let path = path.to_str().unwrap();
    let server = TestServer::new().answer(Script::new().send(input.clone()));
    let url = server.url();
    for (place, name) in [("-", "standard input"), (path, &format!("{path:?}")), (&url, &url)] {
        let mut program = start(&[options, &[place]].concat());
        if place == "-" {
            program.feed(&input);
        }
        let end = program.end();
        assert_eq!((end.code, end.out.as_str()), (Some(code), out), "{place}: {:?}", end.err);
        let err = if err.is_empty() { String::new() } else { format!("eventwire: {err}\n").replace("PLACE", name) };
        assert_eq!(end.err, err, "{place}");
    }
    assert_eq!(server.requests().len(), 1);
}

const STREAM: &str = "\u{FEFF}: welcome\nretry: 5\n\n\
    :\ndata: one\r\n: \x1B[2J\tinside\nretry: 3000\nid: 7\ndata\rdata: three\n\n\
    event: two\ndata:\n\nid: 8\n\ndata: [\n\nid: 8\ndata\n\nid\n\ndata\n\ndata\n\n";

#[test]
fn events() {
    let events = "message [7] one\n    \n    three\ntwo \nmessage [8] [\nmessage [8] \nmessage \nmessage \n";
    check(&[], STREAM, 0, events, "");
    let comments = ": welcome\n: \n: \\u{1b}[2J\tinside\n";
    check(&["--comments"], STREAM, 0, &format!("{comments}{events}"), "");
}

#[test]
fn json_has_documented_keys_in_order() {
    let events = [
        r#"{"event":"message","data":"one\n\nthree","id":"7","retry":3000}"#,
        r#"{"event":"two","data":""}"#,
        r#"{"event":"message","data":"[","id":"8"}"#,
        r#"{"event":"message","data":"","id":"8"}"#,
        r#"{"event":"message","data":"","id":""}"#,
        r#"{"event":"message","data":""}"#,
        "",
    ];
    check(&["--json"], STREAM, 0, &events.join("\n"), "");
    let comments = [r#"{"comment":"welcome"}"#, r#"{"comment":""}"#, r#"{"comment":"\u001b[2J\tinside"}"#];
    check(&["--json", "--comments"], STREAM, 0, &[&comments[..], &events].concat().join("\n"), "");
}

#[test]
fn timestamps_come_first() {
    for (options, start, end) in [(&["--comments"][..], "", " "), (&["--comments", "--json"], "{\"time\":\"", "\",")] {
        let with = reading(&[options, &["--timestamps"]].concat(), STREAM).out;
        let without = with.lines().map(|line| {
            let Some((time, rest)) = line.strip_prefix(start).and_then(|line| line.split_once(end)) else {
                panic!("{line}")
            };
            if time.is_empty() {
                return format!("{line}\n");
            }
            let shape: String = time.chars().map(|char| if char.is_ascii_digit() { '0' } else { char }).collect();
            assert_eq!(shape, "0000-00-00T00:00:00.000Z");
            format!("{}{rest}\n", &start[..start.len().min(1)])
        });
        let without: String = without.collect();
        reading(options, STREAM).printed(&without);
    }
}

#[test]
fn what_a_terminal_may_obey_is_escaped() {
    let stream = "event: \x1B]0;title\x07\u{200D}\nid: \x7F\u{202E}\ndata: \x1B[2J\tcolumn \u{9B} \u{E0041}\n\n";
    let printed = "\\u{1b}]0;title\\u{7}\u{200D} [\\u{7f}\\u{202e}] \\u{1b}[2J\tcolumn \\u{9b} \\u{e0041}\n";
    reading(&[], stream).printed(printed);

    let end = reading(&["--json"], stream);
    assert!(end.out.contains(r#""data":"\u001b[2J\tcolumn \u009b \udb40\udc41","id":"\u007f\u202e""#), "{}", end.out);
    let event: Value = serde_json::from_str(&end.out).unwrap();
    assert_eq!(event["data"], "\x1B[2J\tcolumn \u{9B} \u{E0041}");
}

#[test]
fn events_and_comments_are_printed_as_they_arrive() {
    // Each piece is sent only after the previous one has been printed. An event is complete with the CR of its blank
    // line: the next byte may be an LF, or may take an hour.
    const PIECES: [(&str, &str); 3] =
        [("data: one\n\n", "message one\n"), (": ping\n", ": ping\n"), ("data: two\r\n\r", "message two\n")];
    let (go, wait) = mpsc::channel::<&str>();
    let url = by_hand(move |mut client| {
        client.write_all(EVENT_STREAM.as_bytes()).unwrap();
        wait.iter().for_each(|text| client.write_all(text.as_bytes()).unwrap());
    });
    let mut from_url = start(&["--comments", &url]);
    let mut from_pipe = start(&["--comments", "-"]);
    for (text, printed) in PIECES {
        go.send(text).unwrap();
        assert_eq!(from_url.line(), printed);
        from_pipe.feed(text.as_bytes());
        assert_eq!(from_pipe.line(), printed);
    }
    drop(go);
    from_url.end().printed("");
    from_pipe.end().printed("");
}

#[test]
fn it_ends_quietly_when_the_output_is_closed() {
    let (go, wait) = mpsc::channel::<()>();
    let url = by_hand(move |mut client| {
        client.write_all(format!("{EVENT_STREAM}data: one\n\n").as_bytes()).unwrap();
        wait.recv().unwrap();
        // One event is not enough, because a process that another test starts may inherit the pipe and keep it open
        // for a moment. The stream does not end before the program, so the closed output is what ends the program.
        while client.write_all(b"data: two\n\n").is_ok() {
            thread::sleep(Duration::from_millis(10));
        }
    });
    let mut program = start(&["--follow", &url]);
    assert_eq!(program.line(), "message one\n");
    program.hang_up();
    go.send(()).unwrap();
    program.end().printed("");
}

#[test]
fn an_input_without_events_is_explained() {
    for input in ["", "\n\r\n\r", "\u{FEFF}", " \n"] {
        check(&["--json", "--timestamps"], input, 0, "", "no event in PLACE; it is empty");
    }
    for input in [": ping\n\n: ping\n", "retry: 3000\n\n", "title: x\r: y\n\n", "\u{FEFF}id\n\n", "event: a\n\n"] {
        check(&[], input, 0, "", "no event in PLACE; it has only comments, or fields without data");
    }
    let long = "<p>é</p>".repeat(500);
    let cut = format!("{}…", "<p>é</p>".repeat(10));
    for (input, start) in [
        (
            "{\n  \"message\": \"no such\u{9B} model\",\n  \"data\": 1\n}",
            "{ \"message\": \"no such\\u{9b} model\", \"data\": 1 }",
        ),
        ("idea\nretry-after: 1\r\n\r\n", "idea retry-after: 1"),
        (&format!("{}database", "\r\n".repeat(500)), "database"),
        (&long, &cut),
    ] {
        check(
            &["--comments"],
            input,
            1,
            "",
            &format!("no event in PLACE; is it an event stream? it starts with {start}"),
        );
    }
    // One event is enough, also after other text.
    reading(&[], "HTTP/1.1 200 OK\r\nServer: x\r\n\r\ndata: one\n\n{\"json\": 1}\n\n").printed("message one\n");
    reading(&[], format!("{}\ndata: one\n\n", "x".repeat(500))).printed("message one\n");
}

#[test]
fn a_truncated_event_is_reported() {
    for (input, printed) in
        [("data: tw", ""), ("data: one\n\ndata: tw", "message one\n"), ("data: one\n\nid: 2\n", "message one\n")]
    {
        reading(&[], input).failed(printed, &["the stream is truncated: it ended inside an event", "blank line"]);
        let server = TestServer::new().answer(Script::new().send(input));
        start(&[&server.url()])
            .end()
            .failed(printed, &["the stream is truncated: the connection ended early; ", "blank line"]);
    }
}

#[test]
fn an_event_that_is_too_large_is_reported_and_the_stream_continues() {
    let input = format!("data: one\n\ndata: {}\n\ndata: three\n\n", ".".repeat(16 << 20));
    let said = "the event is larger than the limit of 16777216 bytes; it was skipped, and the stream continues";
    check(&[], input, 1, "message one\nmessage three\n", said);
}
