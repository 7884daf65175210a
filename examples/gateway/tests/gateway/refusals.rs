//! Requests that are refused, and the API key.

use std::io::{ErrorKind, Read, Write};
use std::time::Duration;

use reqwest::Method;
use reqwest::header::AUTHORIZATION;
use serde_json::{Value, json};

use crate::client::{Answer, CHAT, Gateway, TEXT, chat, with};

#[tokio::test]
async fn a_body_that_is_invalid_or_incomplete() {
    let gateway = Gateway::start().await;
    for (path, param, body) in [
        (CHAT, "model", json!({})),
        (CHAT, "model", json!({ "model": null })),
        (CHAT, "messages", json!({ "model": "echo" })),
        (CHAT, "messages[0].content", json!({ "model": "echo", "messages": [{ "role": "user" }] })),
        (TEXT, "prompt", json!({ "model": "echo" })),
    ] {
        let said = format!("`{param}` is missing");
        check(&gateway.post(path, body).await, 400, json!(param), "missing_required_parameter", &[&said]);
    }
    // Each of these members in a body that is otherwise valid.
    let (parts, prompts) = ("a string or an array of parts", "a string or an array of strings");
    for (path, param, members, said) in [
        (CHAT, "model", json!({ "model": 1 }), "integer `1`, expected a string"),
        (CHAT, "messages", json!({ "messages": "a" }), "string \"a\", expected a sequence"),
        (CHAT, "messages", json!({ "messages": [{ "role": "system", "content": "a" }] }), "\"user\""),
        (CHAT, "messages[0]", json!({ "messages": [{ "content": "a" }] }), "missing field `role`"),
        (CHAT, "messages[0].role", json!({ "messages": [{ "role": 1 }] }), "a string"),
        (CHAT, "messages[0].content", json!({ "messages": [{ "role": "user", "content": 1.5 }] }), parts),
        (CHAT, "messages[0].content", json!({ "messages": [{ "role": "user", "content": [{}] }] }), parts),
        (CHAT, "n", json!({ "n": 2 }), "be 1"),
        (CHAT, "max_tokens", json!({ "max_tokens": -1 }), "integer `-1`"),
        (CHAT, "stream", json!({ "stream": "true" }), "expected a boolean"),
        (CHAT, "stream_options.include_usage", json!({ "stream_options": { "include_usage": 1 } }), "a boolean"),
        (CHAT, "tools", json!({ "tools": "f" }), "expected a sequence"),
        (TEXT, "prompt", json!({ "prompt": [] }), "at least one string"),
        (TEXT, "prompt", json!({ "prompt": [[1, 2]] }), prompts),
    ] {
        // A stream is refused before its first event.
        for stream in [false, true] {
            let body = with(with(chat("a"), &json!({ "prompt": "a", "stream": stream })), &members);
            let said = [said, &format!("`{param}`")];
            check(&gateway.post(path, body).await, 400, json!(param), "invalid_value", &said);
        }
    }
}

#[tokio::test]
async fn a_body_that_is_not_a_json_object() {
    let gateway = Gateway::start().await;
    for path in [CHAT, TEXT] {
        for (body, said) in [
            ("", "line 1 column 0"),
            ("hello", "line 1 column 1"),
            ("{\"model\":\"echo\",\n\"messages\":[}", "line 2 column 13"),
            ("[]", "not a JSON object"),
            ("null", "not a JSON object"),
            ("{\"model\":\"echo\"} {}", "trailing characters"),
        ] {
            check(&gateway.post(path, body).await, 400, Value::Null, "invalid_json", &[said]);
        }
        let not_text = gateway.request(Method::POST, path).body(&b"{\"model\":\"\xFF\"}"[..]);
        check(&Answer::of(not_text).await, 400, Value::Null, "invalid_json", &["line 1"]);
    }
}

const LIMIT: usize = 4 << 20;

// The client blocks, so the server needs a separate thread.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_body_that_is_too_large() {
    let gateway = Gateway::start().await;
    let chat = chat("a").to_string();
    for (length, answer) in [(LIMIT, "HTTP/1.1 200 "), (LIMIT + 1, "HTTP/1.1 413 "), (5 * LIMIT, "HTTP/1.1 413 ")] {
        // This client reads nothing until it has sent everything.
        let body = " ".repeat(length - chat.len()) + &chat;
        let head = format!("POST {CHAT} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {length}");
        let mut connection = gateway.connect();
        connection.write_all(format!("{head}\r\n\r\n{body}").as_bytes()).unwrap();
        let mut said = String::new();
        connection.read_to_string(&mut said).unwrap();
        assert!(said.starts_with(answer) && said.contains("request_too_large") == (length > LIMIT), "{said}");
    }
}

/// Otherwise the connection would be closed while the client is sending.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn the_body_is_read_before_a_refusal() {
    let gateway = Gateway::with_key("sesame").await;
    for (target, status) in [("POST /v1/completions", "401"), ("POST /v1/nothing", "404"), ("POST /v1/models", "405")] {
        let mut connection = gateway.connect();
        let head = format!("{target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 2\r\n\r\n");
        connection.write_all(head.as_bytes()).unwrap();
        // An answer sent before the body would have arrived by now.
        connection.set_nonblocking(true).unwrap();
        std::thread::sleep(Duration::from_millis(50));
        let early = connection.read(&mut [0; 1]).map_err(|error| error.kind());
        assert_eq!(early, Err(ErrorKind::WouldBlock), "{status}");
        connection.set_nonblocking(false).unwrap();
        connection.write_all(b"{}").unwrap();
        let mut answer = String::new();
        connection.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{answer}");
    }
}

#[tokio::test]
async fn what_is_not_there() {
    let gateway = Gateway::start().await;
    for path in [CHAT, TEXT] {
        // The model is checked before the other parameters.
        for body in [json!({ "model": "other\n" }), with(chat("a"), &json!({ "model": "other\n", "stream": true }))] {
            let answer = gateway.post(path, body).await;
            check(&answer, 404, json!("model"), "model_not_found", &["\"other\\n\"", "\"echo\""]);
        }
    }
    for path in ["/", "/v1/chat/completions/", "/chat/completions", "/v1/embeddings?a=b"] {
        let said = path.split('?').next().unwrap();
        check(&gateway.get(path).await, 404, Value::Null, "unknown_url", &["GET", said]);
        check(&gateway.post(path, "{}").await, 404, Value::Null, "unknown_url", &["POST", said]);
    }
    for (method, path, allowed) in [(Method::GET, CHAT, "POST"), (Method::POST, "/v1/models", "GET,HEAD")] {
        let answer = Answer::of(gateway.request(method.clone(), path)).await;
        check(&answer, 405, Value::Null, "method_not_allowed", &[method.as_str(), path]);
        assert_eq!(answer.header("allow"), allowed);
    }
    check(&gateway.get("/v1/events").await, 400, json!("text"), "missing_required_parameter", &["`text` is missing"]);
}

#[tokio::test]
async fn without_the_key_nobody_is_answered() {
    let gateway = Gateway::with_key("sesame").await;
    for (method, path) in
        [(Method::POST, CHAT), (Method::POST, TEXT), (Method::GET, "/v1/models"), (Method::GET, "/v1/events?text=a")]
    {
        for shown in ["", "Bearer open", "Bearer ses", "Bearer sesamf", "Basic sesame", "sesame", "Bearer sesamee"] {
            let request = gateway.request(method.clone(), path).header(AUTHORIZATION, shown);
            // The key is checked before the body is.
            let answer = Answer::of(request.body("{")).await;
            check_key(&answer);
            assert_eq!(answer.header("www-authenticate"), "Bearer");
            assert!(!answer.body.contains("sesame"), "{}", answer.body);
        }
    }
    check_key(&gateway.get("/v1/models").await);
}

#[tokio::test]
async fn with_the_key_everybody_is() {
    let gateway = Gateway::with_key("sesame").await;
    for shown in ["Bearer sesame", "bearer sesame", "BEARER  sesame"] {
        let request = gateway.request(Method::POST, CHAT).header(AUTHORIZATION, shown);
        assert_eq!(Answer::of(request.body(chat("a").to_string())).await.status, 200, "{shown}");
    }
    // A browser's `EventSource` shows it in the URL, at this endpoint only.
    assert_eq!(gateway.get("/v1/events?text=a&api_key=sesame").await.status, 200);
    check_key(&gateway.get("/v1/events?text=a&api_key=open").await);
    check_key(&gateway.get("/v1/models?api_key=sesame").await);
}

#[track_caller]
fn check_key(answer: &Answer) {
    check(answer, 401, Value::Null, "invalid_api_key", &["API key"]);
}

#[track_caller]
pub(crate) fn check(answer: &Answer, status: u16, param: Value, code: &str, said: &[&str]) {
    let detail = json!({ "type": "invalid_request_error", "param": param, "code": code });
    let (found_status, found, message) = answer.error();
    assert_eq!((found_status, found), (status, detail), "{message}");
    for words in said {
        assert!(message.contains(words), "{words:?} in {message:?}");
    }
}
