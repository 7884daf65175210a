//! The example `chat`: against the gateway, and against servers that do worse.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::mpsc;

use serde_json::json;

use crate::client::Gateway;
use crate::process::{End, Process};
use crate::server;

const STREAM: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";

#[test]
fn alone_it_prints_a_greeting() {
    let end = Process::start("chat", &[], &[]).end();
    assert_eq!((end.code, end.err.as_str()), (Some(0), ""));
    assert!(end.out.starts_with("Hello!") && end.out.ends_with("🦀, and goodbye.\n"), "{:?}", end.out);
}

#[test]
fn its_own_gateway_says_the_prompt_again() {
    run(&["  one\ttwo\r\nthree "], &[]).printed("  one\ttwo\r\nthree \n");
    run(&["--", "--help"], &[]).printed("--help\n");
    run(&[""], &[]).printed("\n");
    run(&["--model", "other", "hello"], &[]).failed_asking(&["404 Not Found", "\"other\"", "\"echo\""]);
}

#[test]
fn a_server_that_is_named() {
    let gateway = Gateway::start(&["--api-key", "sesame"]);
    let base_url = format!("{}/v1", gateway.url);
    run(&["--base-url", &base_url, "--model", "echo", "--api-key", "sesame", "a b"], &[]).printed("a b\n");
    // A slash at the end is no error.
    let slash = format!("{base_url}/");
    let environment = [("OPENAI_BASE_URL", slash.as_str()), ("OPENAI_API_KEY", "sesame")];
    run(&["--model", "echo", "a b"], &environment).printed("a b\n");
    // The flags come before the environment.
    run(&["--model", "echo", "--api-key", "open", "a"], &environment).failed_asking(&["401 Unauthorized", "API key"]);
    run(&["--model", "echo", "--base-url", "elsewhere", "a"], &environment).failed_asking(&["\"elsewhere\""]);
    run(&["a"], &environment).failed_asking(&["no model", "--model", "--help"]);
    run(&[], &environment).failed_asking(&["no model", "--model"]);
    // No key at all.
    run(&["--base-url", &base_url, "--model", "echo", "a"], &[]).failed_asking(&["401 Unauthorized", "API key"]);
    // Not the API's own path.
    run(&["--base-url", &gateway.url, "--model", "echo", "a"], &[]).failed_asking(&["404 Not Found", "/v1/"]);
}

#[test]
fn tokens_are_printed_as_they_come() {
    // The server sends a token only once the one before has been read from the other end.
    let (go, wait) = mpsc::channel::<String>();
    let url = server::serve(move |_, mut client| {
        client.write_all(STREAM.as_bytes()).unwrap();
        for event in wait {
            client.write_all(event.as_bytes()).unwrap();
        }
    });
    let mut chat = Process::start("chat", &["--base-url", &url, "--model", "any", "hello"], &[]);
    for token in ["one ", "two\n", "three"] {
        go.send(event(token)).unwrap();
        assert_eq!(chat.bytes(token.len()), token);
    }
    go.send("data: [DONE]\n\n".into()).unwrap();
    // `go` lives on, and with it the connection: it is the marker that ends the answer.
    chat.end().printed("\n");
    drop(go);
}

#[test]
fn a_stream_that_is_cut() {
    let whole = format!("{}{}", event("one "), event("two"));
    // Its bytes end where they may, but without the marker.
    answered(format!("{STREAM}{whole}")).failed("one two\n", &["cut off", "[DONE]", "ask again"]);
    // In the middle of an event.
    answered(format!("{STREAM}{whole}data: {{\"choi")).failed("one two\n", &["cut off", "ask again"]);
    // In the middle of a body whose length is known.
    let head = STREAM.replace("\r\n\r\n", "\r\nContent-Length: 100000\r\n\r\n");
    answered(format!("{head}{whole}")).failed("one two\n", &["cut off", "ask again"]);
    // Before the first event.
    answered(STREAM.into()).failed("\n", &["cut off", "ask again"]);
}

#[test]
fn a_stream_that_says_that_it_failed() {
    let report = json!({ "error": { "message": "over\nloaded", "type": "server_error", "param": null, "code": null } });
    answered(format!("{STREAM}{}data: {report}\n\n", event("one ")))
        .failed("one \n", &["over\\nloaded", "ask again later"]);
    answered(format!("{STREAM}event: error\ndata: ???\n\n")).failed("\n", &["broke the answer off"]);
}

#[test]
fn a_stream_that_is_no_answer() {
    answered(format!("{STREAM}data: {{\"choices\":1}}\n\n")).failed("\n", &["not a chunk", "base URL"]);
    answered("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html>".into())
        .failed_asking(&["else than an event stream", "base URL"]);
    answered("HTTP/1.1 200 OK\r\n\r\n".into()).failed_asking(&["else than an event stream"]);
}

#[test]
fn a_server_that_refuses() {
    for (body, said) in [
        (r#"{"error":{"message":"too many\u001b[2J","type":"x","param":null,"code":null}}"#, "too many\\u{1b}[2J"),
        (r#"{"error":"too many"}"#, "too many"),
        ("<html>\n", "does not say why"),
        ("", "does not say why"),
    ] {
        let answer = format!("HTTP/1.1 429 Too Many Requests\r\nContent-Type: application/json\r\n\r\n{body}");
        answered(answer).failed_asking(&["429 Too Many Requests", said]);
    }
}

#[test]
fn no_byte_reaches_a_terminal_that_could_steer_it() {
    let escape = json!({ "choices": [{ "index": 0, "delta": { "content": "\u{1B}]0;title\u{7}\t\u{9B}" } }] });
    answered(format!("{STREAM}data: {escape}\n\ndata: [DONE]\n\n")).printed("\\u{1b}]0;title\\u{7}\t\\u{9b}\n");
}

#[test]
fn a_server_that_is_not_there() {
    // The near end of a connection has a port that nobody listens at, and that nobody else is given meanwhile.
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let connection = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let url = format!("http://{}/v1", connection.local_addr().unwrap());
    run(&["--base-url", &url, "--model", "any", "a"], &[]).failed_asking(&["cannot connect", &url, "check"]);
}

#[test]
fn help_is_no_error() {
    for flag in ["--help", "-h"] {
        let end = run(&[flag], &[]);
        assert_eq!((end.code, end.err.as_str()), (Some(0), ""));
        for word in ["Usage: chat", "--base-url", "--model", "OPENAI_API_KEY", "Exit code"] {
            assert!(end.out.contains(word), "{}", end.out);
        }
    }
}

#[test]
fn a_mistake_on_the_command_line() {
    let named = |base_url| run(&["--base-url", base_url, "--model", "any", "a"], &[]);
    run(&["--nonsense"], &[]).failed_asking(&["--nonsense", "--help"]);
    run(&["one", "two"], &[]).failed_asking(&["\"two\"", "--help"]);
    run(&["--model", "echo"], &[]).failed_asking(&["no prompt", "--help"]);
    run(&["--model"], &[]).failed_asking(&["--model", "--help"]);
    named("no\nURL").failed_asking(&["\"no\\nURL\" is no base URL", "http://host:port/v1"]);
    named("ftp://127.0.0.1").failed_asking(&["\"ftp://127.0.0.1\" is no base URL", "http://host:port/v1"]);
}

/// An event that adds this to the answer.
fn event(content: &str) -> String {
    format!("data: {}\n\n", json!({ "choices": [{ "index": 0, "delta": { "content": content } }] }))
}

/// What comes of asking a server that answers with these bytes and ends.
fn answered(bytes: String) -> End {
    let url = server::serve(move |_, mut client| {
        client.write_all(bytes.as_bytes()).unwrap();
        // What is left unread of the request would make of the end a reset, which may overtake the answer.
        client.shutdown(Shutdown::Write).unwrap();
        let _ = client.read_to_end(&mut Vec::new());
    });
    run(&["--base-url", &url, "--model", "any", "hello"], &[])
}

fn run(args: &[&str], environment: &[(&str, &str)]) -> End {
    Process::start("chat", args, environment).end()
}

impl End {
    /// There was nothing to print, and one line says why.
    #[track_caller]
    fn failed_asking(&self, said: &[&str]) {
        self.failed("", said);
        assert!(self.err.starts_with("chat: "), "{:?}", self.err);
    }
}
