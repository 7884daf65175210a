//! Requests that are refused, and their errors.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use eventwire_test_support::PATIENCE;
use reqwest::Method;
use serde_json::{Value, json};

use crate::client::{Answer, CHAT, Gateway, TEXT, chat, with};

#[tokio::test]
async fn a_body_that_is_malformed_or_incomplete() {
    let gateway = Gateway::start().await;
    let user = |content: Value| json!([{ "role": "user", "content": content }]);
    let missing = "missing_required_parameter";
    let (wrong_type, wrong_value) = ("invalid_type", "invalid_value");
    // The parameter is set to this value in a body that is otherwise valid; `None` removes it.
    let cases = [
        (CHAT, "model", None, missing, "model", "`model` is missing"),
        (CHAT, "model", Some(json!(null)), missing, "model", "`model` is missing"),
        (CHAT, "model", Some(json!(1)), wrong_type, "model", "a string, but is a number"),
        (CHAT, "messages", None, missing, "messages", "`messages` is missing"),
        (CHAT, "messages", Some(json!("a")), wrong_type, "messages", "an array, but is a string"),
        (CHAT, "messages", Some(json!([])), wrong_value, "messages", "\"user\""),
        (CHAT, "messages", Some(json!([{ "role": "system", "content": "a" }])), wrong_value, "messages", "\"user\""),
        (CHAT, "messages", Some(json!(["a"])), wrong_type, "messages[0]", "an object, but is a string"),
        (CHAT, "messages", Some(json!([null])), missing, "messages[0]", "missing"),
        (CHAT, "messages", Some(json!([{ "content": "a" }])), missing, "messages[0].role", "missing"),
        (CHAT, "messages", Some(json!([{ "role": 1, "content": "a" }])), wrong_type, "messages[0].role", "a number"),
        (CHAT, "messages", Some(json!([{ "role": "user" }])), missing, "messages[0].content", "missing"),
        (CHAT, "messages", Some(user(json!(null))), missing, "messages[0].content", "missing"),
        (CHAT, "messages", Some(user(json!(1.5))), wrong_type, "messages[0].content", "a string or an array of parts"),
        (CHAT, "messages", Some(user(json!(["a"]))), wrong_type, "messages[0].content[0]", "an object"),
        (CHAT, "messages", Some(user(json!([{}]))), missing, "messages[0].content[0].type", "missing"),
        (CHAT, "messages", Some(user(json!([{ "type": "text" }]))), missing, "messages[0].content[0].text", "missing"),
        (
            CHAT,
            "messages",
            Some(user(json!([{ "type": "text", "text": "a" }, { "type": "text", "text": true }]))),
            wrong_type,
            "messages[0].content[1].text",
            "a string, but is a boolean",
        ),
        (CHAT, "n", Some(json!(2)), wrong_value, "n", "be 1"),
        (CHAT, "n", Some(json!(0)), wrong_value, "n", "be 1"),
        (CHAT, "n", Some(json!("1")), wrong_type, "n", "a whole number, but is a string"),
        (TEXT, "n", Some(json!(2)), wrong_value, "n", "be 1"),
        (CHAT, "max_tokens", Some(json!(-1)), wrong_value, "max_tokens", "not negative"),
        (CHAT, "max_tokens", Some(json!(1.5)), wrong_value, "max_tokens", "whole number"),
        (CHAT, "max_completion_tokens", Some(json!("1")), wrong_type, "max_completion_tokens", "is a string"),
        (TEXT, "max_tokens", Some(json!([1])), wrong_type, "max_tokens", "is an array"),
        (CHAT, "stream", Some(json!("true")), wrong_type, "stream", "a boolean, but is a string"),
        (CHAT, "stream_options", Some(json!(true)), wrong_type, "stream_options", "an object, but is a boolean"),
        (
            CHAT,
            "stream_options",
            Some(json!({ "include_usage": 1 })),
            wrong_type,
            "stream_options.include_usage",
            "a boolean, but is a number",
        ),
        (TEXT, "model", None, missing, "model", "`model` is missing"),
        (TEXT, "prompt", None, missing, "prompt", "`prompt` is missing"),
        (TEXT, "prompt", Some(json!({})), wrong_type, "prompt", "an array of strings, but is an object"),
        (TEXT, "prompt", Some(json!([])), wrong_value, "prompt", "at least one string"),
        (TEXT, "prompt", Some(json!(["a", 1])), wrong_type, "prompt[1]", "a string, but is a number"),
        (TEXT, "prompt", Some(json!([[1, 2]])), wrong_type, "prompt[0]", "a string, but is an array"),
    ];
    for (path, name, value, code, param, said) in cases {
        let mut body = with(chat("a"), &json!({ "prompt": "a" }));
        match &value {
            Some(value) => body[name] = value.clone(),
            None => _ = body.as_object_mut().unwrap().remove(name),
        }
        // A stream is refused before its first event.
        let bodies =
            if name == "stream" { vec![body] } else { vec![body.clone(), with(body, &json!({ "stream": true }))] };
        for body in bodies {
            check(&gateway.post(path, &body).await, 400, json!(param), code, &[said, &format!("`{param}`")]);
        }
    }
}

#[tokio::test]
async fn a_body_that_is_not_a_json_object() {
    let gateway = Gateway::start().await;
    for path in [CHAT, TEXT] {
        for (body, code, said) in [
            ("", "invalid_json", "line 1 column 0"),
            ("hello", "invalid_json", "line 1 column 1"),
            ("{\"model\":\"echo\",\n\"messages\":[}", "invalid_json", "line 2 column 13"),
            ("[]", "invalid_type", "an array"),
            ("null", "invalid_type", "null"),
            ("\"model\"", "invalid_type", "a string"),
        ] {
            check(&gateway.post(path, body).await, 400, Value::Null, code, &[said]);
        }
        let not_text = gateway.request(Method::POST, path).body(&b"{\"model\":\"\xFF\"}"[..]);
        check(&Answer::of(not_text).await, 400, Value::Null, "invalid_json", &["line 1"]);
    }
}

const LIMIT: usize = 4 << 20;

#[tokio::test]
async fn a_body_that_is_too_large() {
    let gateway = Gateway::start().await;
    let body = chat("a").to_string();
    let body = " ".repeat(LIMIT - body.len()) + &body;
    assert_eq!(gateway.post(CHAT, &body).await.status, 200);
    for path in [CHAT, TEXT] {
        let answer = gateway.post(path, format!(" {body}")).await;
        check(&answer, 413, Value::Null, "request_too_large", &["4194304 bytes"]);
    }
}

// The client blocks, so the server needs a separate thread.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_body_that_is_much_too_large_is_answered_too() {
    // This client reads nothing until it has sent everything.
    let gateway = Gateway::start().await;
    let body = " ".repeat(5 * LIMIT);
    let mut connection = TcpStream::connect(gateway.url.strip_prefix("http://").unwrap()).unwrap();
    connection.set_write_timeout(Some(PATIENCE)).unwrap();
    connection.set_read_timeout(Some(PATIENCE)).unwrap();
    let head =
        format!("POST {CHAT} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {}", body.len());
    connection.write_all(format!("{head}\r\n\r\n{body}").as_bytes()).unwrap();
    let mut answer = String::new();
    connection.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 413 ") && answer.contains("request_too_large"), "{answer}");
}

/// A connection stays usable after a refusal, because the request's body is read first.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_refusal_leaves_its_connection_as_it_was() {
    let gateway = Gateway::with_key("sesame").await;
    for (head, status) in [
        (format!("POST {CHAT} HTTP/1.1\r\nAuthorization: Bearer open"), "401"),
        ("POST /v1/nothing HTTP/1.1".to_owned(), "404"),
        ("POST /v1/models HTTP/1.1".to_owned(), "405"),
    ] {
        let connection = TcpStream::connect(gateway.url.strip_prefix("http://").unwrap()).unwrap();
        connection.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut answers = BufReader::new(&connection);
        (&connection).write_all(format!("{head}\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n").as_bytes()).unwrap();
        // An answer sent before the body would have arrived by now.
        connection.set_nonblocking(true).unwrap();
        std::thread::sleep(std::time::Duration::from_millis(50));
        let early = (&connection).read(&mut [0; 1]).map_err(|error| error.kind());
        assert_eq!(early, Err(std::io::ErrorKind::WouldBlock), "{status}");
        connection.set_nonblocking(false).unwrap();
        (&connection).write_all(b"{}").unwrap();
        assert!(read_answer(&mut answers).starts_with(&format!("HTTP/1.1 {status} ")), "{status}");

        let models = "GET /v1/models HTTP/1.1\r\nAuthorization: Bearer sesame\r\nHost: localhost\r\n\r\n";
        (&connection).write_all(models.as_bytes()).unwrap();
        assert!(read_answer(&mut answers).starts_with("HTTP/1.1 200 "), "after {status}");
    }
}

/// Reads the head and the body of an answer, and returns the head.
fn read_answer(connection: &mut impl BufRead) -> String {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        assert!(connection.read_line(&mut head).unwrap() > 0, "the connection was closed after {head:?}");
    }
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).expect(&head);
    connection.read_exact(&mut vec![0; length.parse().unwrap()]).unwrap();
    head
}

#[tokio::test]
async fn a_model_that_is_not_there() {
    let gateway = Gateway::start().await;
    for path in [CHAT, TEXT] {
        // The model is checked before anything else.
        for body in [json!({ "model": "other\n" }), with(chat("a"), &json!({ "model": "other\n", "stream": true }))] {
            let answer = gateway.post(path, body).await;
            check(&answer, 404, json!("model"), "model_not_found", &["\"other\\n\"", "\"echo\""]);
        }
    }
}

#[tokio::test]
async fn a_path_that_is_not_there() {
    let gateway = Gateway::start().await;
    for path in ["/", "/v1", "/v1/chat/completions/", "/chat/completions", "/v1/embeddings?a=b"] {
        let said = path.split('?').next().unwrap();
        check(&gateway.get(path).await, 404, Value::Null, "unknown_url", &["GET", said]);
        check(&gateway.post(path, "{}").await, 404, Value::Null, "unknown_url", &["POST", said]);
    }
}

#[tokio::test]
async fn a_method_that_is_not_allowed() {
    let gateway = Gateway::start().await;
    for (method, path, allowed) in [
        (Method::GET, CHAT, "POST"),
        (Method::PUT, CHAT, "POST"),
        (Method::DELETE, TEXT, "POST"),
        (Method::POST, "/v1/models", "GET,HEAD"),
        (Method::POST, "/v1/events?text=a", "GET,HEAD"),
    ] {
        let answer = Answer::of(gateway.request(method.clone(), path)).await;
        check(&answer, 405, Value::Null, "method_not_allowed", &[method.as_str(), path.split('?').next().unwrap()]);
        assert_eq!(answer.header("allow"), allowed);
    }
}

#[tokio::test]
async fn events_without_a_text() {
    let gateway = Gateway::start().await;
    for path in ["/v1/events", "/v1/events?", "/v1/events?txt=a"] {
        check(&gateway.get(path).await, 400, json!("text"), "missing_required_parameter", &["`text` is missing"]);
    }
    let twice = gateway.get("/v1/events?text=a&text=b").await;
    check(&twice, 400, Value::Null, "invalid_query", &["query", "`text`"]);
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
