//! `--json`, `--comments` and `--timestamps`: what is printed of an event and of a comment.

use std::fs;
use std::path::PathBuf;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use eventwire_test_support::{Process, Script, serve};

use crate::{CHAT, EVENT_STREAM, fails, start, text_of};

const STREAM: &str = ": welcome\nretry: 5\n\n:\ndata: one\n: \x1B[2J\tinside\nretry: 3000\nid: 7\ndata: lines\n\nid: 8\n\n:e\n\ndata:\n\n";

/// Starts the program, which reads this stream from standard input.
fn reading(options: &[&str], stream: &str) -> Process {
    let mut program = start(&[options, &["-"]].concat());
    program.feed(stream.as_bytes());
    program
}

#[test]
fn comments_are_printed_in_order() {
    let events = "message [7] one\n            lines\n";
    reading(&[], STREAM).end().printed(&format!("{events}message [8] \n"));
    let printed = format!(": welcome\n: \n: \\u{{1b}}[2J\tinside\n{events}: e\nmessage [8] \n");
    reading(&["--comments"], STREAM).end().printed(&printed);

    // From a file and from a URL too.
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("comments.sse");
    fs::write(&path, STREAM).unwrap();
    start(&["--comments", path.to_str().unwrap()]).end().printed(&printed);
    let script = Script::new(&[&format!("{EVENT_STREAM}{STREAM}")]);
    start(&["--comments", "--post", "body", &script.url]).end().printed(&printed);
}

#[test]
fn json_has_documented_keys_in_order() {
    let events = [
        r#"{"event":"message","data":"one\nlines","id":"7","retry":3000}"#,
        r#"{"event":"message","data":"","id":"8"}"#,
    ];
    reading(&["--json"], STREAM).end().printed(&(events.join("\n") + "\n"));
    let [one, two] = events;
    let comments =
        [r#"{"comment":"welcome"}"#, r#"{"comment":""}"#, r#"{"comment":"\u001b[2J\tinside"}"#, r#"{"comment":"e"}"#];
    let [welcome, empty, inside, e] = comments;
    let lines = [welcome, empty, inside, one, e, two];
    reading(&["--comments", "--json"], STREAM).end().printed(&(lines.join("\n") + "\n"));
}

#[test]
fn a_retry_of_any_size_is_in_json() {
    for (field, retry) in [("0", "0"), ("18446744073709551615", "18446744073709551615")] {
        let printed = format!("{{\"event\":\"a\",\"data\":\"\",\"id\":\"\",\"retry\":{retry}}}\n");
        reading(&["--json"], &format!("event: a\nretry: {field}\ndata\n\n")).end().printed(&printed);
    }
    // A `retry` alone is not an event, and an invalid one is ignored.
    let printed = "{\"event\":\"message\",\"data\":\"\",\"id\":\"\"}\n";
    reading(&["--json"], "retry: 5\n\nretry: soon\ndata\n\n").end().printed(printed);
}

#[test]
fn timestamps_come_first() {
    let end = reading(&["--comments", "--timestamps"], STREAM).end();
    assert_eq!((end.code, end.err.as_str()), (Some(0), ""));
    let below = format!("{:1$} lines", "", "2026-01-31T23:59:59.999Z message [7]".len());
    let expected = [": welcome", ": ", ": \\u{1b}[2J\tinside", "message [7] one", &below, ": e", "message [8] "];
    let lines: Vec<&str> = end.out.lines().collect();
    assert_eq!(lines.len(), expected.len());
    let mut last = "";
    for (line, expected) in lines.into_iter().zip(expected) {
        if line == below {
            continue;
        }
        let (time, rest) = line.split_once(' ').expect(line);
        assert_eq!(rest, expected);
        is_time(time);
        assert!(last <= time, "{:?}", end.out);
        last = time;
    }
}

#[test]
fn timestamps_in_json() {
    let end = reading(&["--timestamps", "--json", "--comments"], STREAM).end();
    assert_eq!((end.code, end.err.as_str()), (Some(0), ""));
    let without_times: String = end
        .out
        .lines()
        .map(|line| {
            let (time, rest) = line.strip_prefix(r#"{"time":""#).and_then(|line| line.split_once(r#"","#)).expect(line);
            is_time(time);
            format!("{{{rest}\n")
        })
        .collect();
    reading(&["--json", "--comments"], STREAM).end().printed(&without_times);
}

#[test]
fn timestamps_of_standard_input_are_those_of_its_chunks() {
    let mut program = start(&["--comments", "--timestamps", "--json", "-"]);
    program.feed(format!("data: {}\n: ready\n", ".".repeat(1 << 20)).as_bytes());
    let ready = program.line();
    thread::sleep(Duration::from_millis(5));
    program.feed(b"\ndata: two\n\n");
    arrived_together(program, &ready);
}

#[test]
fn timestamps_of_a_response_are_those_of_its_chunks() {
    let (go, wait) = mpsc::channel::<()>();
    let url = serve(move |_, mut client| {
        let mut write = |text: &str| std::io::Write::write_all(&mut client, text.as_bytes()).unwrap();
        write(EVENT_STREAM);
        write(&format!("data: {}\n: ready\n", ".".repeat(1 << 20)));
        wait.recv().unwrap();
        write("\ndata: two\n\n");
    });
    let mut program = start(&["--comments", "--timestamps", "--json", &url]);
    let ready = program.line();
    thread::sleep(Duration::from_millis(5));
    go.send(()).unwrap();
    arrived_together(program, &ready);
}

/// Checks that the last two events have the same time, which is later than that of the line before.
#[track_caller]
fn arrived_together(program: Process, before: &str) {
    // The first event fills the pipe, so the second one is printed only after this pause.
    thread::sleep(Duration::from_millis(100));
    let end = program.end();
    let times: Vec<&str> = end.out.lines().map(|line| line.split_once(',').expect(line).0).collect();
    assert!(matches!(times[..], [one, two] if before < one && one == two), "{before:?}, {times:?}");
}

/// Checks the shape of a time. The time itself depends on the clock.
#[track_caller]
fn is_time(time: &str) {
    let shape: String = time.chars().map(|char| if char.is_ascii_digit() { '0' } else { char }).collect();
    assert_eq!(shape, "0000-00-00T00:00:00.000Z", "{time}");
}

#[test]
fn comments_are_printed_as_they_arrive() {
    let (go, wait) = mpsc::channel::<&str>();
    let url = serve(move |_, mut client| {
        for text in wait {
            std::io::Write::write_all(&mut client, text.as_bytes()).unwrap();
        }
    });
    let mut program = start(&["--comments", &url]);
    go.send(EVENT_STREAM).unwrap();
    go.send("data: one\n: inside an event\n").unwrap();
    assert_eq!(program.line(), ": inside an event\n");
    go.send("\n").unwrap();
    assert_eq!(program.line(), "message one\n");
    drop(go);
    program.end().printed("");

    let mut program = start(&["--comments", "--json", "-"]);
    program.feed(b": ping\n");
    assert_eq!(program.line(), "{\"comment\":\"ping\"}\n");
    program.end().printed("");
}

#[test]
fn it_combines_with_follow() {
    let script = Script::new(&[
        &format!("{EVENT_STREAM}: one\nretry: 1\nid: 1\ndata: a\n\n"),
        &format!("{EVENT_STREAM}: two\n\n"),
        "HTTP/1.1 204 No Content\r\n\r\n",
    ]);
    let end = start(&["--follow", "--comments", "--json", &script.url]).end();
    let printed = "{\"comment\":\"one\"}\n{\"event\":\"message\",\"data\":\"a\",\"id\":\"1\",\"retry\":1}\n{\"comment\":\"two\"}\n";
    assert_eq!((end.code, end.out.as_str()), (Some(0), printed));
    assert_eq!(end.err.lines().filter(|line| line.contains("the connection ended; reconnecting in ")).count(), 2);
}

#[test]
fn a_comment_that_is_too_large_is_reported_only_if_it_would_be_printed() {
    let stream = format!(": {}\ndata: one\n\n", ".".repeat(16 << 20));
    reading(&["--comments"], &stream).end().failed("message one\n", &["skipped a comment of more than 16777216 bytes"]);
    reading(&[], &stream).end().printed("message one\n");
    for (options, code, lines) in [(&["--comments"][..], 1, 1), (&[], 0, 0)] {
        let script = Script::new(&[&format!("{EVENT_STREAM}{stream}")]);
        let end = start(&[options, &[&script.url]].concat()).end();
        assert_eq!((end.code, end.out.as_str(), end.err.lines().count()), (Some(code), "message one\n", lines));
    }
}

#[test]
fn the_demo_has_comments() {
    let end = start(&["--comments"]).end();
    assert_eq!(end.code, Some(0));
    assert!(end.out.starts_with(": welcome\nmessage [chat-1] "), "{}", end.out);
    let (comments, others): (Vec<&str>, Vec<&str>) = end.out.lines().partition(|line| line.starts_with(": "));
    assert_eq!(comments.split_first(), Some((&": welcome", &[": still here"; 2][..])));
    let chat = others.iter().filter_map(|line| line.strip_prefix("message [chat-1] "));
    assert_eq!(text_of(chat), CHAT);
}

#[test]
fn options_without_a_value() {
    for option in ["--comments", "--timestamps", "--json"] {
        fails(&[&format!("{option}=yes"), "-"], &[option, "yes", "--help"]);
    }
}
