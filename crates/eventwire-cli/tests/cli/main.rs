//! Runs the program `eventwire` as a user does, and checks what it prints, when, and its exit code.

// Miri cannot start processes.
#![cfg(not(miri))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod follow;
mod no_event;
mod output;
mod request;

use std::fs::{self, File};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::Command;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use eventwire_test_support::{Process, serve};
use serde_json::Value;

const EVENT_STREAM: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";

fn start(args: &[&str]) -> Process {
    Process::start(env!("CARGO_BIN_EXE_eventwire"), args, &[])
}

#[test]
fn the_demo_is_printed() {
    let end = start(&[]).end();
    assert_eq!(end.code, Some(0));
    demo_line(&end.err);

    let (chat, rest) = end.out.split_once("usage ").expect("the event after the chat");
    let chunks = chat.lines().map(|line| line.strip_prefix("message [chat-1] ").expect(line));
    assert_eq!(text_of(chunks), CHAT);
    let below = " ".repeat("usage [chat-2] ".len());
    assert_eq!(rest, format!("[chat-2] {{\n{below}  \"completion_tokens\": 12\n{below}}}\nmessage [chat-2] [DONE]\n"));
}

#[test]
fn the_demo_is_printed_as_json() {
    let end = start(&["--json"]).end();
    assert_eq!(end.code, Some(0));
    demo_line(&end.err);

    let events: Vec<Value> = end.out.lines().map(json).collect();
    let (done, events) = events.split_last().unwrap();
    assert_eq!(done["data"], "[DONE]");
    let (usage, chat) = events.split_last().unwrap();
    assert_eq!((&usage["event"], &usage["id"]), (&Value::from("usage"), &Value::from("chat-2")));
    assert_eq!(usage["data"], "{\n  \"completion_tokens\": 12\n}");
    assert_eq!(text_of(chat.iter().map(|event| event["data"].as_str().unwrap())), CHAT);
}

#[test]
fn the_demo_is_announced_before_its_first_event() {
    // Both outputs go to one file, so their order is kept.
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("demo.txt");
    let file = File::create(&path).unwrap();
    let mut program = Command::new(env!("CARGO_BIN_EXE_eventwire"));
    assert!(program.stdout(file.try_clone().unwrap()).stderr(file).status().unwrap().success());
    let output = fs::read_to_string(&path).unwrap();
    let (line, events) = output.split_once('\n').unwrap();
    demo_line(&format!("{line}\n"));
    assert!(events.starts_with("message [chat-1] ") && events.ends_with("message [chat-2] [DONE]\n"), "{output}");
}

/// Checks the line on standard error. The server's own tests compare it with what is served.
#[track_caller]
fn demo_line(err: &str) {
    let (port, rest) = err
        .strip_prefix("eventwire: serving a chat stream on http://127.0.0.1:")
        .and_then(|rest| rest.split_once("/chat in "))
        .expect(err);
    let chunks = rest.strip_suffix(" chunks, split inside characters and CRLFs, and printing its events\n").expect(err);
    assert_ne!(port.parse::<u16>().expect(err), 0);
    assert_ne!(chunks.parse::<usize>().expect(err), 0);
}

const CHAT: &str = "An event ends with a blank line: déjà vu, 日本語, 🦀, anything.";

/// Returns the text of a chat's chunks.
fn text_of<'c>(chunks: impl Iterator<Item = &'c str>) -> String {
    chunks
        .map(|chunk| serde_json::from_str::<Value>(chunk).expect(chunk))
        .map(|chunk| chunk["choices"][0]["delta"]["content"].as_str().unwrap_or_default().to_owned())
        .collect()
}

/// Parses one line of `--json`, and checks that it has exactly these keys in this order.
#[track_caller]
fn json(line: &str) -> Value {
    let event: Value = serde_json::from_str(line).expect(line);
    let again = format!(r#"{{"event":{},"data":{},"id":{}}}"#, event["event"], event["data"], event["id"]);
    assert_eq!(line, again);
    event
}

#[test]
fn standard_input() {
    let mut program = start(&["-"]);
    program.feed(b"\xEF\xBB\xBFdata: one\r\n\r\n: comment\rid: 7\revent: two\rdata: first\rdata\rdata: third\r\r");
    let end = program.end();
    assert_eq!((end.code, end.err.as_str()), (Some(0), ""));
    assert_eq!(end.out, "message one\ntwo [7] first\n        \n        third\n");
}

#[test]
fn a_file() {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("events.sse");
    fs::write(&path, "data: one\n\nevent: two\ndata: 2\n\n").unwrap();
    let end = start(&[path.to_str().unwrap()]).end();
    assert_eq!((end.code, end.out.as_str(), end.err.as_str()), (Some(0), "message one\ntwo 2\n", ""));
}

#[test]
fn control_characters_are_escaped() {
    let stream = b"event: \x1B]0;title\x07\nid: \x7F\ndata: \x1B[2J\tcolumn \xC2\x9B \xFF\n\n";

    let mut program = start(&["-"]);
    program.feed(stream);
    assert_eq!(program.end().out, "\\u{1b}]0;title\\u{7} [\\u{7f}] \\u{1b}[2J\tcolumn \\u{9b} \u{FFFD}\n");

    let mut program = start(&["-", "--json"]);
    program.feed(stream);
    let line = r#"{"event":"\u001b]0;title\u0007","data":"\u001b[2J\tcolumn \u009b "#.to_owned();
    let line = line + "\u{FFFD}" + r#"","id":"\u007f"}"#;
    program.end().printed(&format!("{line}\n"));
    let event: Value = serde_json::from_str(&line).unwrap();
    assert_eq!((&event["id"], &event["data"]), (&"\u{7F}".into(), &"\u{1B}[2J\tcolumn \u{9B} \u{FFFD}".into()));
}

#[test]
fn characters_that_reorder_or_hide_text_are_escaped() {
    let stream =
        "event: \u{202E}\u{200D}\nid: \u{200C}\u{2028}\ndata: \u{2066}a\u{FEFF}\u{AD}\u{E0041}\n: \u{2029}\n\n";
    let mut program = start(&["--comments", "-"]);
    program.feed(stream.as_bytes());
    let line = "\\u{202e}\u{200D} [\u{200C}\\u{2028}] \\u{2066}a\\u{feff}\\u{ad}\\u{e0041}\n";
    program.end().printed(&format!(": \\u{{2029}}\n{line}"));

    let mut program = start(&["--comments", "--json", "-"]);
    program.feed(stream.as_bytes());
    let line = "{\"event\":\"\\u202e\u{200D}\",\"data\":\"\\u2066a\\ufeff\\u00ad\\udb40\\udc41\",\"id\":\"\u{200C}\\u2028\"}\n";
    let event: Value = serde_json::from_str(line).unwrap();
    assert_eq!(event["data"], "\u{2066}a\u{FEFF}\u{AD}\u{E0041}");
    program.end().printed(&format!("{{\"comment\":\"\\u2029\"}}\n{line}"));
}

#[test]
fn events_of_a_response_are_printed_as_they_arrive() {
    // The server sends each event only after the previous one has been printed.
    let (go, wait) = mpsc::channel::<&str>();
    let url = serve(move |_, mut client| {
        client.write_all(EVENT_STREAM.as_bytes()).unwrap();
        for event in wait {
            client.write_all(event.as_bytes()).unwrap();
        }
    });
    let mut program = start(&[&url]);
    go.send("data: one\n\n").unwrap();
    assert_eq!(program.line(), "message one\n");
    // The event is complete with the CR of its blank line. The next byte may be an LF, or may take an hour.
    go.send("data: two\r\n\r").unwrap();
    assert_eq!(program.line(), "message two\n");
    drop(go);
    let end = program.end();
    assert_eq!((end.code, end.out.as_str(), end.err.as_str()), (Some(0), "", ""));
}

#[test]
fn a_long_type_and_a_long_id_do_not_make_the_output_long() {
    // The text output is aligned up to a limit, and a long ID of an earlier event is not repeated.
    let (long, longer) = ("x".repeat(40_000), "y".repeat(40_000));
    let mut program = start(&["-"]);
    program.feed(format!("event: {long}\nid: {longer}\ndata: one\ndata: two\n\ndata: three\n\n").as_bytes());
    let below = " ".repeat(80);
    program.end().printed(&format!("{long} [{longer}] one\n{below} two\nmessage […] three\n"));

    let mut program = start(&["--json", "-"]);
    program.feed(format!("id: {longer}\ndata: one\n\ndata: two\n\nid\ndata: three\n\n").as_bytes());
    let one = format!(r#"{{"event":"message","data":"one","id":"{longer}"}}"#);
    let rest =
        r#"{"event":"message","data":"two"}"#.to_owned() + "\n" + r#"{"event":"message","data":"three","id":""}"#;
    program.end().printed(&format!("{one}\n{rest}\n"));

    // An ID of 64 bytes is repeated.
    let id = "é".repeat(32);
    let mut program = start(&["-"]);
    program.feed(format!("id: {id}\ndata: one\n\ndata: two\n\nid: {id}.\ndata: three\n\ndata: four\n\n").as_bytes());
    program
        .end()
        .printed(&format!("message [{id}] one\nmessage [{id}] two\nmessage [{id}.] three\nmessage […] four\n"));
}

#[test]
fn events_of_standard_input_are_printed_as_they_arrive() {
    let mut program = start(&["--json", "-"]);
    program.feed(b"data: one\n\n");
    assert_eq!(json(program.line().trim_end())["data"], "one");
    program.feed(b"data: two\r\n\r");
    assert_eq!(json(program.line().trim_end())["data"], "two");
    let end = program.end();
    assert_eq!((end.code, end.out.as_str(), end.err.as_str()), (Some(0), "", ""));
}

#[test]
fn it_ends_quietly_when_the_output_is_closed() {
    let (go, wait) = mpsc::channel::<()>();
    let url = serve(move |_, mut client| {
        client.write_all(format!("{EVENT_STREAM}data: one\n\n").as_bytes()).unwrap();
        wait.recv().unwrap();
        // One event is not enough, because a process that another test starts may inherit the pipe and keep it open
        // for a moment. The stream does not end before the program, so the closed output is what ends the program.
        while client.write_all(b"data: two\n\n").is_ok() {
            thread::sleep(Duration::from_millis(10));
        }
    });
    let mut program = start(&[&url]);
    assert_eq!(program.line(), "message one\n");
    program.hang_up();
    go.send(()).unwrap();
    let end = program.end();
    assert_eq!((end.code, end.err.as_str()), (Some(0), ""));
}

#[test]
fn a_truncated_event_is_reported() {
    for stream in ["data: one\n\ndata: tw", "data: one\n\ndata: two\n", "data: one\n\nid: 2\n"] {
        let mut program = start(&["-"]);
        program.feed(stream.as_bytes());
        let end = program.end();
        assert_eq!((end.code, end.out.as_str()), (Some(1), "message one\n"), "{stream:?}");
        one_line(&end.err, &["in the middle of an event", "blank line"]);
    }
}

#[test]
fn an_event_that_is_too_large_is_reported_and_the_stream_continues() {
    let mut program = start(&["-"]);
    program.feed(b"data: one\n\ndata: ");
    program.feed(&vec![b'.'; 16 << 20]);
    program.feed(b"\n\ndata: three\n\n");
    let end = program.end();
    assert_eq!((end.code, end.out.as_str()), (Some(1), "message one\nmessage three\n"));
    one_line(&end.err, &["skipped an event of more than 16777216 bytes", "the stream continues"]);
}

#[test]
fn a_lost_connection_is_reported() {
    let url = serve(|_, mut client| {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 1000\r\n\r\n";
        client.write_all(format!("{head}data: one\n\ndata: two\n").as_bytes()).unwrap();
    });
    let end = start(&[&url]).end();
    assert_eq!((end.code, end.out.as_str()), (Some(1), "message one\n"));
    one_line(&end.err, &["connection lost: ", "; run the command again"]);
}

#[test]
fn the_request_asks_for_an_event_stream() {
    let (tell, told) = mpsc::channel();
    let url = serve(move |head, mut client| {
        tell.send(head.to_ascii_lowercase()).unwrap();
        client.write_all(format!("{EVENT_STREAM}data: one\n\n").as_bytes()).unwrap();
    });
    start(&[&url]).end().printed("message one\n");
    let head = told.recv().unwrap();
    assert!(head.starts_with("get /events http/1.1\r\n"), "{head}");
    assert!(head.contains("\r\naccept: text/event-stream\r\n"), "{head}");
    assert!(head.contains("\r\ncache-control: no-cache\r\n"), "{head}");
}

#[test]
fn a_content_type_may_have_parameters_and_any_case() {
    for content_type in ["text/event-stream;charset=utf-8", "Text/Event-Stream ; x=y", "TEXT/EVENT-STREAM"] {
        let head = format!("HTTP/1.1 200 OK\r\nContent-Type: {content_type}\r\n\r\n");
        let url = serve(move |_, mut client| {
            client.write_all(format!("{head}data: one\n\n").as_bytes()).unwrap();
        });
        let end = start(&[&url]).end();
        assert_eq!((end.code, end.out.as_str(), end.err.as_str()), (Some(0), "message one\n", ""), "{content_type}");
    }
}

#[test]
fn help() {
    for flag in ["--help", "-h"] {
        let end = start(&[flag]).end();
        assert_eq!((end.code, end.err.as_str()), (Some(0), ""));
        let options = ["--json", "--comments", "--timestamps", "--follow", "--last-event-id", "--post", "--header"];
        for word in ["Usage: eventwire", "Exit code", "--compressed"].iter().chain(&options) {
            assert!(end.out.contains(word), "{}", end.out);
        }
        assert!(end.out.lines().all(|line| line.len() <= 80), "{}", end.out);
    }
}

#[test]
fn the_readme_names_only_options_that_exist() {
    let readme = include_str!("../../README.md");
    let help = start(&["--help"]).end().out;
    let options: Vec<&str> = readme
        .split(|char: char| !char.is_ascii_alphanumeric() && char != '-')
        .filter(|word| word.starts_with("--") && !word.trim_matches('-').is_empty())
        .collect();
    assert!(options.contains(&"--follow"), "{options:?}");
    for option in options {
        assert!(help.contains(option), "{option}");
    }
}

#[test]
fn version() {
    for flag in ["--version", "-V"] {
        start(&[flag]).end().printed(concat!("eventwire ", env!("CARGO_PKG_VERSION"), "\n"));
    }
}

#[test]
fn mistakes_on_the_command_line() {
    fails(&["--nonsense"], &["--nonsense", "--help"]);
    fails(&["--non\n\u{202E}sense"], &["--non\\n\\u{202e}sense", "--help"]);
    fails(&["one", "two"], &["\"two\"", "--help"]);
    fails(&["http://["], &["\"http://[\" is not a URL", "http://host:port/path"]);
    fails(&["http://a b/"], &["is not a URL"]);
    fails(&["ftp://127.0.0.1/events"], &["cannot fetch ftp://", "http://"]);
    fails(&["no/such/file.sse"], &["cannot open no/such/file.sse: ", "http://"]);
    fails(&[""], &["cannot open '': "]);
    fails(&["127.0.0.1:80/a\nb"], &["cannot open \"127.0.0.1:80/a\\nb\"", "http://"]);
}

#[test]
fn a_server_that_is_not_running() {
    // Nothing listens on the local port of a connection, and no other process can get it in the meantime.
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let connection = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let url = format!("http://{}/", connection.local_addr().unwrap());
    fails(&[&url], &["cannot connect", &url, "check the address"]);
}

#[test]
fn a_server_that_does_not_speak_tls() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for client in listener.incoming() {
            let mut client = client.unwrap();
            // Closing a connection with unread bytes would reset it.
            let _ = client.read(&mut [0; 4096]).unwrap();
            client.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").unwrap();
        }
    });
    let url = format!("https://{address}/events?a=b");
    let said = format!("eventwire: cannot connect to {url}: the server does not speak TLS on this port");
    fails(&[&url], &[&format!("{said}; try http://{address}/events?a=b\n")]);
    let secret = url.replace("://", "://user:secret@");
    fails(&[&secret], &[&format!("{said}; try http://{address}/events?a=b\n")]);
    let mut program = start(&["--follow", &url]);
    one_line(&program.error_line(), &[&said, "; reconnecting in "]);
}

#[test]
fn a_refusal_of_an_api_is_not_about_the_path() {
    for status in ["404 Not Found", "410 Gone"] {
        for (body, said) in [
            (r#"{"error":{"message":"no such model."}}"#, "no such model; check the URL, --header and --post\n"),
            (r#"{"detail":"no such session"}"#, "no such session; check the URL, --header and --post\n"),
            ("no such page.", "no such page; check the path of the URL\n"),
            (r#"{"page":"none"}"#, r#"{"page":"none"}; check the path of the URL"#),
        ] {
            let url = serve(move |_, mut client| {
                client.write_all(format!("HTTP/1.1 {status}\r\n\r\n{body}").as_bytes()).unwrap();
            });
            fails(&[&url], &[&format!("answered {status}: {said}")]);
        }
    }
}

#[test]
fn a_response_that_is_not_an_event_stream() {
    let answers = [
        ("404 Not Found\r\nContent-Type: text/event-stream", &["404 Not Found", "path"] as &[_]),
        ("401 Unauthorized", &["401 Unauthorized", "credentials", "--header"]),
        ("405 Method Not Allowed", &["405 Method Not Allowed", "method", "--post"]),
        ("503 Service Unavailable", &["503 Service Unavailable", "later", "--follow"]),
        ("501 Not Implemented", &["501 Not Implemented: data: not for you; try again later\n"]),
        ("206 Partial Content\r\nContent-Type: text/event-stream", &["206 Partial Content", "200 OK"]),
        ("204 No Content", &["no events", "204 No Content"]),
        ("200 OK\r\nContent-Type: text/html; charset=utf-8", &["text/html", "not text/event-stream", "check the URL"]),
        (
            "200 OK\r\nContent-Type: text/event-stream-not",
            &["its content type is \"text/event-stream-not\", not text/event-stream"],
        ),
        (
            "200 OK\r\nContent-Type: text/event-stream\r\nContent-Type: application/json; charset=utf-8",
            &["its content type is \"application/json\", not text/event-stream"],
        ),
        ("200 OK\r\nContent-Type: text", &["its content type is \"text\", not text/event-stream"]),
        ("200 OK", &["no content type (expected text/event-stream)", "check the URL"]),
        (
            "200 OK\r\nContent-Type: Text/event-stream; x\r\nContent-Encoding: br",
            &["content coding \"br\"", "; use curl -sN --compressed URL | eventwire -"],
        ),
        (
            "200 OK\r\nContent-Type: text/event-stream-not\r\nContent-Encoding: br",
            &["its content type is \"text/event-stream-not\", not text/event-stream"],
        ),
    ];
    for (answer, said) in answers {
        let url = serve(move |_, mut client| {
            client.write_all(format!("HTTP/1.1 {answer}\r\n\r\ndata: not for you\n\n").as_bytes()).unwrap();
        });
        fails(&[&url], &[said, &[&url]].concat());
    }
}

/// Checks that the program prints only one line with these words, on standard error, and exits with 1.
#[track_caller]
fn fails(args: &[&str], said: &[&str]) {
    let end = start(args).end();
    assert_eq!((end.code, end.out.as_str()), (Some(1), ""), "{args:?}");
    one_line(&end.err, said);
}

#[track_caller]
fn one_line(err: &str, said: &[&str]) {
    assert!(err.starts_with("eventwire: ") && err.ends_with('\n') && err.lines().count() == 1, "{err:?}");
    for words in said {
        assert!(err.contains(words), "{words:?} in {err:?}");
    }
}
