//! Inputs without an event, and inputs that are not event streams.

use std::fs;
use std::path::PathBuf;

use eventwire_test_support::Script;

use crate::{EVENT_STREAM, fails, one_line, start};

const GZIP: &[u8] = b"\x1F\x8B\x08\0\0\0\0\0\0\x03\x4BI,I\xB4R\xF0\xF3\xE7\x02\0\n\ndata: not for you\n\n";

/// Runs the program on this input as a file, on standard input and from a URL. Each time it prints no event, exits
/// with `code`, and reports one line with these words, where `PLACE` stands for the input.
#[track_caller]
fn check(input: &str, code: i32, said: &str) {
    check_with(&[], input, code, said);
    check_with(&["--json", "--timestamps"], input, code, said);
}

#[track_caller]
fn check_with(options: &[&str], input: &str, code: i32, said: &str) {
    let path = file(&format!("{:x}.sse", input.len()), input.as_bytes());
    let script = Script::with({
        let answer = format!("{EVENT_STREAM}{input}");
        move |_, mut client| std::io::Write::write_all(&mut client, answer.as_bytes()).unwrap()
    });
    for (place, name) in [("-", "standard input"), (&path, &path), (&script.url, &script.url)] {
        let mut program = start(&[options, &[place]].concat());
        if place == "-" {
            program.feed(input.as_bytes());
        }
        let end = program.end();
        assert_eq!((end.code, end.out.as_str()), (Some(code), ""), "{input:?} in {place}: {:?}", end.err);
        assert_eq!(end.err, format!("eventwire: {}\n", said.replace("PLACE", name)));
    }
    assert_eq!(script.requests().len(), 1);
}

/// Writes a file that no other test overwrites, and returns its path.
#[track_caller]
fn file(name: &str, content: &[u8]) -> String {
    let line = std::panic::Location::caller().line();
    let test = std::thread::current().name().unwrap().replace("::", "-");
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{test}-{line}-{name}"));
    fs::write(&path, content).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn an_empty_input_is_valid() {
    for input in ["", "\n\r\n\r", "\u{FEFF}", " \n"] {
        check(input, 0, "no event in PLACE; it is empty");
    }
}

#[test]
fn comments_and_fields_without_data_are_valid() {
    for input in [": ping\n\n: ping\n", "retry: 3000\n\n", "id: 7\n\n", "event: heartbeat\n\n", "title: x\n: y\n\n"] {
        check(input, 0, "no event in PLACE; it has only comments, or fields without data");
    }
}

#[test]
fn another_format_is_not_an_event_stream() {
    let error = "{\n  \"error\": {\n    \"message\": \"no such\u{9B} model\",\n    \"data\": 1\n  }\n}";
    let starts = "{ \"error\": { \"message\": \"no such\\u{9b} model\", \"data\": 1 } }";
    // With a line end after it and without.
    for end in ["", "\n", "\r\n\r\n"] {
        check(
            &format!("{error}{end}"),
            1,
            &format!("no event in PLACE; is it an event stream? it starts with {starts}"),
        );
    }
    let long = "<p>é</p>".repeat(50);
    let starts = format!("{}…", "<p>é</p>".repeat(10));
    check(&long, 1, &format!("no event in PLACE; is it an event stream? it starts with {starts}"));
}

#[test]
fn one_event_is_enough() {
    let mut program = start(&["-"]);
    program.feed(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: one\n\n{\"json\": 1}\n\n");
    program.end().printed("message one\n");
}

#[test]
fn an_event_that_was_not_printed_is_the_only_thing_reported() {
    for input in ["data: tw", ": comment\n\nevent: one\ndata: tw\n"] {
        let mut program = start(&["-"]);
        program.feed(input.as_bytes());
        program.end().failed("", &["the stream ended in the middle of an event"]);
        let script = Script::new(&[&format!("{EVENT_STREAM}{input}")]);
        start(&[&script.url]).end().failed("", &["the connection ended inside an event; "]);
    }
    let mut program = start(&["-"]);
    program.feed(b"data: ");
    program.feed(&vec![b'.'; 16 << 20]);
    program.feed(b"\n\n");
    program.end().failed("", &["skipped an event of more than 16777216 bytes"]);
}

#[test]
fn a_lost_connection_is_reported_as_one() {
    let answer = EVENT_STREAM.replace("\r\n\r\n", "\r\nContent-Length: 99\r\n\r\n{\"error\": 1}");
    let script = Script::new(&[&answer]);
    start(&[&script.url]).end().failed("", &["connection lost: "]);
}

#[test]
fn with_follow_only_the_end_counts() {
    let answers = [&format!("{EVENT_STREAM}retry: 1\n\n"), "HTTP/1.1 204 No Content\r\n\r\n"];
    let script = Script::new(&answers);
    let end = start(&["--follow", &script.url]).end();
    assert_eq!((end.code, end.out.as_str()), (Some(0), ""));
    one_line(&end.err, &["the connection ended; reconnecting in "]);

    let script = Script::new(&[&format!("{EVENT_STREAM}{{\"error\": \"no such model\"}}")]);
    let said =
        format!("no event in {}; is it an event stream? it starts with {{\"error\": \"no such model\"}}\n", script.url);
    start(&["--follow", "--post", "body", &script.url]).end().failed("", &[&said]);
}

#[test]
fn with_follow_another_format_is_the_reason_for_reconnecting() {
    let script = Script::new(&[&format!("{EVENT_STREAM}{{\"error\": \"busy\"}}\n")]);
    let mut program = start(&["--follow", &script.url]);
    let said = format!("no event in {}; is it an event stream? it starts with {{\"error\": \"busy\"}}", script.url);
    one_line(&program.error_line(), &[&said, "; reconnecting in "]);
}

#[test]
fn a_refusal_is_not_part_of_the_input() {
    let busy = "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 0\r\n\r\n{\"error\": \"busy\"}";
    let script = Script::new(&[busy, EVENT_STREAM]);
    let end = start(&["--follow", "--post", "body", &script.url]).end();
    assert_eq!((end.code, end.out.as_str()), (Some(0), ""));
    let (busy, empty) = end.err.split_once('\n').unwrap();
    assert!(busy.contains("429 Too Many Requests: busy; reconnecting in "), "{busy}");
    assert_eq!(empty, format!("eventwire: no event in {}; it is empty\n", script.url));
}

#[test]
fn gzip() {
    let mut program = start(&["--comments", "-"]);
    // Both bytes that show it may not arrive together.
    program.feed(&GZIP[..1]);
    program.feed(&GZIP[1..]);
    program.end().failed("", &["standard input is compressed with gzip; use curl -sN --compressed URL | eventwire -"]);

    let path = file("events.sse.gz", GZIP);
    fails(&[&path], &[&format!("{path} is compressed with gzip; use gunzip -c {path} | eventwire -\n")]);
    let path = file("$(events) .gz", GZIP);
    fails(&[&path], &[&format!("'{path}' is compressed with gzip; use gunzip -c '{path}' | eventwire -\n")]);
}

#[test]
fn gzip_from_a_url() {
    for options in [&[][..], &["--follow"], &["--post", "body"], &["--follow", "--comments", "--post", "body"]] {
        // The connection stays open, so it is not the end of the response that ends the program.
        let mut connections = Vec::new();
        let script = Script::with(move |_, client| {
            std::io::Write::write_all(&mut &client, &[EVENT_STREAM.as_bytes(), GZIP].concat()).unwrap();
            connections.push(client);
        });
        let said = format!("{} is compressed with gzip; use curl -sN URL | gunzip -c | eventwire -\n", script.url);
        start(&[options, &[&script.url]].concat()).end().failed("", &[&said]);
        assert_eq!(script.requests().len(), 1);
    }
}

#[test]
fn gzip_after_events() {
    let script = Script::with(|place, mut client| {
        let body = if place == 0 { b"retry: 1\ndata: one\n\n" } else { GZIP };
        std::io::Write::write_all(&mut client, &[EVENT_STREAM.as_bytes(), body].concat()).unwrap();
    });
    let end = start(&["--follow", &script.url]).end();
    assert_eq!((end.code, end.out.as_str()), (Some(1), "message one\n"));
    assert!(end.err.ends_with(" is compressed with gzip; use curl -sN URL | gunzip -c | eventwire -\n"), "{}", end.err);
    assert_eq!(script.requests().len(), 2);
}

#[test]
fn a_content_coding() {
    for options in [&[][..], &["--follow"], &["--header", "Accept-Encoding: gzip"]] {
        let answer = EVENT_STREAM.replace("\r\n\r\n", "\r\nContent-Encoding: gzip\r\n\r\n");
        let script = Script::new(&[&answer]);
        let said = format!(
            "{} cannot be read: its content coding \"gzip\" is not supported; use curl -sN --compressed URL | eventwire -\n",
            script.url
        );
        start(&[options, &[&script.url]].concat()).end().failed("", &[&said]);
        assert_eq!(script.requests().len(), 1);
    }
}

#[test]
fn a_directory() {
    let directory = env!("CARGO_TARGET_TMPDIR");
    for option in ["--json", "--comments", "--timestamps"] {
        fails(&[option, directory], &[&format!("eventwire: {directory} is a directory; give a file\n")]);
    }
    fails(&["."], &["eventwire: . is a directory; give a file\n"]);
}

#[test]
fn a_url_without_its_scheme() {
    for (path, url) in [
        ("localhost:8080/x", "http://localhost:8080/x"),
        ("127.0.0.1:8080", "http://127.0.0.1:8080"),
        ("example.com", "https://example.com"),
        ("example.com/events?a=b", "https://example.com/events?a=b"),
    ] {
        fails(&[path], &["cannot open ", &format!("; if it is a URL, write {url}\n")]);
        fails(&["--follow", path], &["--follow is for a URL", &format!("write {url}; see --help\n")]);
    }
    for path in ["no/such/file.sse", "events.sse"] {
        fails(&[path], &[&format!("cannot open {path}: "), "or a URL that starts with http:// or https://\n"]);
    }
    fails(&["no such\u{9B}file"], &["cannot open \"no such\\u{9b}file\": "]);
}

#[test]
#[cfg(unix)] // Windows does not allow colons in the names of files.
fn a_file_that_looks_like_a_url() {
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("files");
    fs::create_dir_all(directory.join("example.com")).unwrap();
    for name in ["localhost:8080", "example.com/x"] {
        fs::write(directory.join(name), "data: one\n\n").unwrap();
        let mut program = std::process::Command::new(env!("CARGO_BIN_EXE_eventwire"));
        let output = program.current_dir(&directory).arg(name).output().unwrap();
        assert_eq!((output.stdout.as_slice(), output.stderr.as_slice()), (&b"message one\n"[..], &b""[..]));
        let output = program.arg("--follow").output().unwrap();
        let said = b"eventwire: --follow is for an http:// or https:// URL, not for a file; see --help\n";
        assert_eq!((output.stdout.as_slice(), output.stderr.as_slice()), (&b""[..], &said[..]));
    }
}
