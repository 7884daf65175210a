//! The program `chat`, against the gateway and against servers that fail.

// Miri cannot start processes.
#![cfg(not(miri))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod json;
mod retries;

use std::io::Write;
use std::sync::mpsc;

use eventwire_test_support::{End, Process, Script, serve};
use gateway::Settings;
use serde_json::json;
use tokio::runtime::Runtime;

const PROGRAM: &str = env!("CARGO_BIN_EXE_chat");
const STREAM: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";

#[test]
fn without_arguments_it_prints_a_greeting() {
    let end = Process::start(PROGRAM, &[], &[]).end();
    assert_eq!((end.code, end.err.as_str()), (Some(0), ""));
    assert!(end.out.starts_with("Hello!") && end.out.ends_with("🦀, and goodbye.\n"), "{:?}", end.out);
}

#[test]
fn its_own_gateway_repeats_the_prompt() {
    run(&["  one\ttwo\r\nthree "], &[]).printed("  one\ttwo\r\nthree \n");
    run(&["--", "--help"], &[]).printed("--help\n");
    run(&[""], &[]).printed("\n");
    run(&["--model", "other", "hello"], &[]).failed_asking(&["404 Not Found", "\"other\"", "\"echo\""]);
}

#[test]
fn a_server_at_a_base_url() {
    let runtime = Runtime::new().unwrap();
    let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
    let root = format!("http://{}", listener.local_addr().unwrap());
    runtime.spawn(gateway::serve(listener, Settings { api_key: Some("sesame".into()), ..Settings::default() }));
    let base_url = format!("{root}/v1");
    run(&["--base-url", &base_url, "--model", "echo", "--api-key", "sesame", "a b"], &[]).printed("a b\n");
    // A slash at the end is accepted.
    let slash = format!("{base_url}/");
    let environment = [("OPENAI_BASE_URL", slash.as_str()), ("OPENAI_API_KEY", "sesame")];
    run(&["--model", "echo", "a b"], &environment).printed("a b\n");
    // Options take precedence over the environment.
    run(&["--model", "echo", "--api-key", "open", "a"], &environment).failed_asking(&["401 Unauthorized", "API key"]);
    run(&["--model", "echo", "--base-url", "elsewhere", "a"], &environment).failed_asking(&["\"elsewhere\""]);
    run(&["a"], &environment).failed_asking(&["there is no model", "--model", "--help"]);
    run(&[], &environment).failed_asking(&["there is no model", "--model"]);
    // Without a key.
    run(&["--base-url", &base_url, "--model", "echo", "a"], &[]).failed_asking(&["401 Unauthorized", "API key"]);
    // A URL without the API's path.
    run(&["--base-url", &root, "--model", "echo", "a"], &[]).failed_asking(&["404 Not Found", "/v1/"]);
}

#[test]
fn tokens_are_printed_as_they_arrive() {
    // The server sends a token only after the one before it was printed.
    let (go, wait) = mpsc::channel::<String>();
    let url = serve(move |_, mut client| {
        client.write_all(STREAM.as_bytes()).unwrap();
        for event in wait {
            client.write_all(event.as_bytes()).unwrap();
        }
    });
    let mut chat = Process::start(PROGRAM, &["--base-url", &url, "--model", "any", "hello"], &[]);
    for token in ["one ", "two\n", "three"] {
        go.send(event(token)).unwrap();
        assert_eq!(chat.bytes(token.len()), token);
    }
    go.send("data: [DONE]\n\n".into()).unwrap();
    // The connection is still open, because `go` is: it is the end marker that ends the answer.
    chat.end().printed("\n");
    drop(go);
}

#[test]
fn a_truncated_stream() {
    let whole = format!("{}{}", event("one "), event("two"));
    // At the end of an event, but without the marker.
    answered(format!("{STREAM}{whole}")).failed("one two\n", &["cut off", "[DONE]", "ask again"]);
    // In the middle of an event.
    answered(format!("{STREAM}{whole}data: {{\"choi"))
        .failed("one two\n", &["cut off", "inside an event", "ask again"]);
    // In the middle of a body whose length is known.
    let head = STREAM.replace("\r\n\r\n", "\r\nContent-Length: 100000\r\n\r\n");
    answered(format!("{head}{whole}")).failed("one two\n", &["cut off", "ask again"]);
    // Before the first event.
    answered(STREAM.into()).failed_asking(&["cut off", "[DONE]", "ask again"]);
    answered(format!("{STREAM}data: {{\"choi")).failed_asking(&["cut off", "inside an event", "ask again"]);
}

#[test]
fn a_stream_with_an_error_in_it() {
    let report = json!({ "error": { "message": "over\nloaded", "type": "server_error", "param": null, "code": null } });
    answered(format!("{STREAM}{}data: {report}\n\n", event("one ")))
        .failed("one \n", &["over\\nloaded", "ask again later"]);
    answered(format!("{STREAM}event: error\ndata: ???\n\n")).failed_asking(&["reported an error", "no error message"]);
}

#[test]
fn a_stream_that_is_not_an_answer() {
    answered(format!("{STREAM}data: {{\"choices\":1}}\n\n")).failed_asking(&["not a chunk", "base URL"]);
    // The login page of a proxy.
    answered("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html>".into())
        .failed_asking(&["the content type \"text/html\"", "base URL"]);
    answered("HTTP/1.1 200 OK\r\n\r\n".into()).failed_asking(&["without a content type", "base URL"]);
    answered(STREAM.replace("\r\n\r\n", "\r\nContent-Encoding: br\r\n\r\n")).failed_asking(&["content coding"]);
    // A 204 means that there are no events.
    answered("HTTP/1.1 204 No Content\r\n\r\n".into()).failed_asking(&["cut off", "[DONE]"]);
}

#[test]
fn a_server_that_refuses() {
    for (body, said) in [
        (r#"{"error":{"message":"too many\u001b[2J","type":"x","param":null,"code":null}}"#, "too many\\u{1b}[2J"),
        (r#"{"error":"too many"}"#, "too many"),
        ("<html>\n", "no error message"),
        ("", "no error message"),
    ] {
        for status in ["401 Unauthorized", "500 Internal Server Error", "502 Bad Gateway"] {
            let answer = format!("HTTP/1.1 {status}\r\nContent-Type: application/json\r\n\r\n{body}");
            answered(answer).failed_asking(&[&format!("the server answered {status}: "), said]);
        }
    }
}

#[test]
fn a_server_that_does_not_speak_http() {
    answered("SSH-2.0-OpenSSH_9.9\r\n".into()).failed_asking(&["the request to http://", "failed", "base URL"]);
    answered(String::new()).failed_asking(&["the request to http://", "failed", "base URL"]);
}

#[test]
fn a_server_that_falls_silent() {
    for (bytes, printed, said) in [
        (String::new(), "", &["no response received for 2s", "--timeout"][..]),
        (STREAM.into(), "", &["cut off", "no data received for 2s"]),
        (format!("{STREAM}{}", event("one ")), "one \n", &["cut off", "no data received for 2s"]),
    ] {
        let (release, hold) = mpsc::channel::<()>();
        let url = serve(move |_, mut client| {
            client.write_all(bytes.as_bytes()).unwrap();
            let _ = hold.recv();
        });
        run(&["--base-url", &url, "--model", "any", "--timeout", "2", "a"], &[]).failed(printed, said);
        drop(release);
    }
}

#[test]
fn control_characters_do_not_reach_the_terminal() {
    let escape = json!({ "choices": [{ "index": 0, "delta": { "content": "\u{1B}]0;title\u{7}\t\u{9B}" } }] });
    answered(format!("{STREAM}data: {escape}\n\ndata: [DONE]\n\n")).printed("\\u{1b}]0;title\\u{7}\t\\u{9b}\n");
}

#[test]
fn help_is_not_an_error() {
    for flag in ["--help", "-h"] {
        let end = run(&[flag], &[]);
        assert_eq!((end.code, end.err.as_str()), (Some(0), ""));
        for word in ["Usage: chat", "--base-url", "--model", "OPENAI_API_KEY", "--timeout", "Exit codes"] {
            assert!(end.out.contains(word), "{}", end.out);
        }
    }
}

#[test]
fn a_mistake_on_the_command_line() {
    let named = |base_url| run(&["--base-url", base_url, "--model", "any", "a"], &[]);
    run(&["--nonsense"], &[]).failed_asking(&["--nonsense", "--help"]);
    run(&["one", "two"], &[]).failed_asking(&["\"two\"", "--help"]);
    run(&["--model", "echo"], &[]).failed_asking(&["there is no prompt", "--help"]);
    run(&["--model"], &[]).failed_asking(&["--model", "--help"]);
    run(&["--timeout", "soon", "a"], &[]).failed_asking(&["soon", "--help"]);
    run(&["--api-key", "a\nb", "a"], &[]).failed_asking(&["not valid", "check the API key"]);
    named("no\nURL").failed_asking(&["\"no\\nURL\" is not a base URL", "http://host:port/v1"]);
    named("ftp://127.0.0.1").failed_asking(&["\"ftp://127.0.0.1\" is not a base URL", "http://host:port/v1"]);
}

/// An event with this part of the answer.
fn event(content: &str) -> String {
    format!("data: {}\n\n", json!({ "choices": [{ "index": 0, "delta": { "content": content } }] }))
}

/// Asks a server that answers with these bytes and closes the connection. Checks that it was asked once.
#[track_caller]
fn answered(bytes: String) -> End {
    let script = Script::new(&[&bytes]);
    let end = run(&["--base-url", &script.url, "--model", "any", "hello"], &[]);
    assert_eq!(script.requests().len(), 1);
    end
}

fn run(args: &[&str], environment: &[(&str, &str)]) -> End {
    Process::start(PROGRAM, args, environment).end()
}

/// A failure before any output.
trait FailedAsking {
    fn failed_asking(&self, said: &[&str]);
}

impl FailedAsking for End {
    #[track_caller]
    fn failed_asking(&self, said: &[&str]) {
        self.failed("", said);
        assert!(self.err.starts_with("chat: "), "{:?}", self.err);
    }
}
