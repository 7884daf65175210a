//! What the server says on standard error.

use std::io::Read;

use eventwire_test_support::Process;
use serde_json::Value;

use crate::CHAT;
use crate::server::{Server, file};

#[test]
fn a_line_for_each_connection() {
    let mut server = Server::chat(&["--cut-after", "2", "--times", "1"]);
    server.get("/a?secret=1");
    assert_eq!(server.line(), "1 GET /a: 200, 2 events, 34 bytes, closed");
    server.get_after("2");
    assert_eq!(server.line(), "2 GET / after \"2\": 200, 1 event, 20 bytes, complete");
    server.ask("POST /%1B HTTP/1.1\r\nHost: localhost\r\nLast-Event-ID: \u{202E}\"\r\n\r\n");
    assert_eq!(server.line(), "3 POST /%1B after \"\\u{202e}\\\"\": 200, 3 events, 54 bytes, complete");
    server.ask("HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert_eq!(server.line(), "4 HEAD /: 200, 0 events, 0 bytes, complete");
    server.ask("GET /\u{202E} HTTP/1.1\r\nHost: localhost\r\n\r\n");
    let line = server.line();
    assert!(!line.contains('\u{202E}'), "{line}");
}

#[test]
fn how_a_connection_ended() {
    let mut server = Server::chat(&["--end", "reset"]);
    server.get("/");
    assert_eq!(server.line(), "1 GET /: 200, 3 events, 54 bytes, reset");
    let mut server = Server::chat(&["--end", "stall"]);
    let mut buffer = Vec::new();
    let mut socket = server.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    while !buffer.ends_with("zwölf\n\n\r\n".as_bytes()) {
        let mut byte = [0];
        socket.read_exact(&mut byte).unwrap();
        buffer.push(byte[0]);
    }
    drop(socket);
    assert_eq!(server.line(), "1 GET /: 200, 3 events, 54 bytes, closed by the client");
    let mut server = Server::chat(&["--pace", "3600s"]);
    drop(server.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"));
    assert_eq!(server.line(), "1 GET /: 200, 0 events, 0 bytes, closed by the client");
}

/// Whether it is silent, or only keep-alives come.
#[test]
fn a_client_that_leaves_a_stall() {
    for keep_alive in [&[][..], &["--keep-alive", "0.01"]] {
        let mut server = Server::chat(&[&["--end", "stall", "--json"], keep_alive].concat());
        let mut socket = server.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
        let mut buffer = vec![0; 150];
        socket.read_exact(&mut buffer).unwrap();
        drop(socket);
        let object: Value = serde_json::from_str(&server.process.error_line()).unwrap();
        assert_eq!((&object["end"], &object["events"]), (&"left".into(), &3.into()), "{keep_alive:?}");
    }
}

#[test]
fn one_of_a_thing_is_not_several() {
    let mut server = Server::chat(&["--cut-after", "1b"]);
    server.get("/");
    assert_eq!(server.line(), "1 GET /: 200, 0 events, 1 byte, closed");
}

#[test]
fn a_file_that_is_no_event_stream() {
    let jsonl = "{\"recording\":1}\n{\"response\":{\"status\":200}}\n";
    for (content, is_warned) in [
        (&b"\x1F\x8B\x08\0rest"[..], true),
        (b"<!doctype html>\n<title>data: 1</title>\n", true),
        (b"[\n  1\n]\n", true),
        (b"\n\n \n\xEF\xBB\xBFx: y\n", true),
        (CHAT.as_bytes(), false),
        (b"\xEF\xBB\xBFdata: 1\n\n", false),
        (b"\n\n:\n\n", false),
        (b"x: y\rretry: 1\r\r", false),
        (b"\n\n", false),
        (jsonl.as_bytes(), false),
    ] {
        let path = file("other.sse", content);
        let warning = format!(
            "warning: {} has no field of an event stream; is it compressed, or something else?\n",
            path.display()
        );
        // A file is looked at on start, and one of a directory when it is asked for, once.
        for (place, asked) in [(path.as_path(), "/"), (path.parent().unwrap(), "/other.sse")] {
            let mut server = Server::start(place.to_str().unwrap(), &[]);
            server.get(asked);
            if is_warned {
                assert_eq!(server.process.error_line(), warning);
            }
            assert!(server.line().starts_with("1 GET "), "{content:?}");
            server.get(asked);
            assert!(server.line().starts_with("2 GET "), "{content:?}");
        }
    }
}

/// What waits to be sent does not count.
#[test]
fn a_client_that_leaves_before_the_first_byte() {
    let mut server = Server::chat(&["--chunk", "1", "--pace", "3600s"]);
    drop(server.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"));
    assert_eq!(server.line(), "1 GET /: 200, 0 events, 0 bytes, closed by the client");
}

#[test]
fn lines_of_json() {
    let chat = file("chat\u{202E}.sse", CHAT);
    let mut server = Server::start(chat.to_str().unwrap(), &["--json", "--cut-after", "1"]);
    server.ask("GET /a?b HTTP/1.1\r\nHost: localhost\r\nLast-Event-ID: \u{202E}\r\n\r\n");
    let line = server.process.error_line();
    assert!(line.starts_with("{\"connection\":1,\"method\":\"GET\",\"path\":\"/a\","), "{line}");
    assert!(line.contains("\"last_event_id\":\"\\u202e\""), "{line}");
    let mut object: Value = serde_json::from_str(&line).unwrap();
    assert!(object["seconds"].take().is_f64());
    assert_eq!(
        object,
        serde_json::json!({
            "connection": 1, "method": "GET", "path": "/a", "last_event_id": "\u{202E}", "status": 200, "events": 1,
            "bytes": 17, "end": "close", "seconds": null
        })
    );
    server.ask("GET / HTTP/1.1\r\nHost: \u{202E}\r\n\r\n");
    let object: Value = serde_json::from_str(&server.process.error_line()).unwrap();
    assert_eq!(object["status"], 421);
    assert!(object["problem"].as_str().unwrap().starts_with("foreign Host "), "{object}");
}

#[test]
fn the_first_line() {
    let chat = file("chat.sse", CHAT);
    let chat = chat.to_str().unwrap();
    let start = |args: &[&str]| {
        let args = [&["serve", chat], args].concat();
        Process::start(env!("CARGO_BIN_EXE_eventwire"), &args, &[])
    };
    for listen in ["0", "127.0.0.1:0", "localhost:0"] {
        let line = start(&["--listen", listen]).error_line();
        assert!(line.starts_with(&format!("serving {chat} at http://")), "{line}");
        assert!(line.ends_with("/; stop with Ctrl-C\n"), "{line}");
    }
    let mut process = start(&["--listen", "0.0.0.0:0"]);
    let line = process.error_line();
    assert!(line.contains("at http://127.0.0.1:"), "{line}");
    assert_eq!(
        process.error_line(),
        "warning: other machines can reach this address; without --listen, only this one can\n"
    );
    let mut process = start(&["--listen", "0.0.0.0:0", "--json"]);
    let line: Value = serde_json::from_str(&process.error_line()).unwrap();
    assert!(line["serving"] == chat && line["url"].as_str().unwrap().starts_with("http://127.0.0.1:"), "{line}");
    let line: Value = serde_json::from_str(&process.error_line()).unwrap();
    assert_eq!(line["warning"], "other machines can reach this address");
}
