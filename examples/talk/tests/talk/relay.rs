//! `POST /chat`.

use std::io::Write;
use std::sync::mpsc;

use eventwire_test_support::{PATIENCE, Script};
use reqwest::Response;
use serde_json::{Value, json};
use talk::{Model, Settings, Speaker};

use crate::talking::{DONE, STREAM, ask, event, post, sends, serve_with, written};

/// Returns the URL of the relay for this model.
async fn chat(base_url: &str) -> String {
    let model = Model::new(base_url, "secret-model", Some("sesame".into())).unwrap();
    serve_with(Settings::new(model, Speaker::tones())).await + "chat"
}

/// Returns the received bytes and the error that ended them.
async fn read(mut response: Response) -> (Vec<u8>, Option<reqwest::Error>) {
    let mut body = Vec::new();
    loop {
        match tokio::time::timeout(PATIENCE, response.chunk()).await.expect("more of the body") {
            Ok(Some(chunk)) => body.extend_from_slice(&chunk),
            Ok(None) => return (body, None),
            Err(error) => return (body, Some(error)),
        }
    }
}

#[tokio::test]
async fn every_byte_is_passed_on() {
    let mut stream = format!(": a comment\r\rid:1\r\nevent: x\ndata\n\n{}{DONE}", event("é 日本")).into_bytes();
    stream.extend_from_slice(b"\xFF\0data: not UTF-8, and no end");
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream;  Charset=UTF-8\r\nX-Secret: 1\r\n";
    for head in [format!("{head}\r\n"), format!("{head}Content-Length: {}\r\n\r\n", stream.len())] {
        let answer = stream.clone();
        let base_url = written(move |mut client| client.write_all(&[head.as_bytes(), &answer].concat()).unwrap());
        let response = ask(&chat(&base_url).await).await;
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["content-type"], "text/event-stream;  Charset=UTF-8");
        assert_eq!(response.headers()["cache-control"], "no-cache, no-transform");
        assert!(!response.headers().contains_key("x-secret"));
        let (body, error) = read(response).await;
        assert!(error.is_none(), "{error:?}");
        assert_eq!(body, stream, "{:?}", String::from_utf8_lossy(&body));
    }
}

#[tokio::test]
async fn the_conversation_goes_to_the_model() {
    let script = Script::new(&[&format!("{STREAM}{DONE}")]);
    let messages = json!([{ "role": "user", "content": "é" }]);
    let asked = json!({ "messages": messages, "model": "other", "temperature": 0.5, "stream": false });
    let response = post(&chat(&script.url).await, asked).await;
    assert!(!format!("{:?}", response.headers()).contains("sesame"));
    assert_eq!(read(response).await.0, DONE.as_bytes());
    let requests = script.requests();
    let [request] = &requests[..] else { panic!("{requests:?}") };
    assert_eq!(request.line(), "POST /events/chat/completions HTTP/1.1");
    assert_eq!(request.header("authorization"), ["Bearer sesame"]);
    assert_eq!(request.header("content-type"), ["application/json"]);
    let sent: Value = serde_json::from_str(&request.body).unwrap();
    let expected = json!({ "messages": messages, "model": "secret-model", "stream": true, "temperature": 0.5 });
    assert_eq!(sent, expected);
}

/// The relay does not retry; the client decides. A repeated request could be billed twice.
#[tokio::test]
async fn a_refusal_is_passed_on_and_nothing_is_retried() {
    for (status, extra, retry_after) in [
        ("503 Service Unavailable", "Retry-After: 7\r\n", Some("7")),
        (
            "429 Too Many Requests",
            "Retry-After: Fri, 31 Dec 1999 23:59:59 GMT\r\n",
            Some("Fri, 31 Dec 1999 23:59:59 GMT"),
        ),
        ("401 Unauthorized", "", None),
        ("500 Internal Server Error", "", None),
    ] {
        let body = r#"{"error":{"message":"not now"}}"#;
        let head =
            format!("HTTP/1.1 {status}\r\n{extra}Content-Type: application/json\r\nContent-Length: {}", body.len());
        // A retry would get the second answer.
        let script = Script::new(&[&format!("{head}\r\n\r\n{body}"), &format!("{STREAM}{DONE}")]);
        let response = ask(&chat(&script.url).await).await;
        assert_eq!(response.status().as_u16().to_string(), status[..3]);
        assert_eq!(response.headers()["content-type"], "application/json");
        let passed_on = response.headers().get("retry-after").map(|value| value.to_str().unwrap().to_owned());
        assert_eq!(passed_on.as_deref(), retry_after);
        assert_eq!(response.text().await.unwrap(), body);
        assert_eq!(script.requests().len(), 1, "{status}");
    }
}

#[tokio::test]
async fn an_encoding_is_passed_on() {
    let answer = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\n\x1f\x01";
    let response = ask(&chat(&sends(answer.into())).await).await;
    assert_eq!(response.headers()["content-encoding"], "gzip");
    assert_eq!(response.bytes().await.unwrap(), "\x1f\x01");
}

/// A response without a content type must not become an event stream.
#[tokio::test]
async fn an_answer_without_a_type_gets_none() {
    let response = ask(&chat(&sends("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi".into())).await).await;
    assert_eq!(response.headers().get("content-type"), None);
    assert_eq!(response.text().await.unwrap(), "hi");
}

#[tokio::test]
async fn a_stream_that_breaks_is_broken() {
    let words = event("one two");
    let long = STREAM.replace("\r\n\r\n", "\r\nContent-Length: 100000\r\n\r\n");
    let chunked = STREAM.replace("\r\n\r\n", "\r\nTransfer-Encoding: chunked\r\n\r\n");
    let chunk = format!("{:x}\r\n{words}\r\n", words.len());
    // In the last case, the words and the error are read together.
    let answers = [format!("{long}{words}"), format!("{chunked}{chunk}"), format!("{chunked}{chunk}nonsense\r\n")];
    for answer in answers {
        let (body, error) = read(ask(&chat(&sends(answer)).await).await).await;
        assert_eq!(String::from_utf8(body).unwrap(), words);
        assert!(error.is_some());
    }
}

/// If the connection is closed before the response, the request is still not sent again.
#[tokio::test]
async fn a_model_that_sends_nothing() {
    let script = Script::new(&["", &format!("{STREAM}{DONE}")]);
    let response = ask(&chat(&script.url).await).await;
    assert_eq!(response.status(), 502);
    let error: Value = serde_json::from_str(&response.text().await.unwrap()).unwrap();
    assert_eq!((&error["error"]["type"], &error["error"]["code"]), (&json!("server_error"), &json!("model_failed")));
    assert_eq!(script.requests().len(), 1);
}

/// An event arrives before the model sends the next one.
#[tokio::test]
async fn nothing_is_held_back() {
    let (go, wait) = mpsc::channel::<()>();
    let base_url = written(move |mut client| {
        client.write_all(STREAM.as_bytes()).unwrap();
        for word in ["one", "two", "three"] {
            wait.recv_timeout(PATIENCE).expect(word);
            client.write_all(event(word).as_bytes()).unwrap();
        }
    });
    // The response head arrives before the first event.
    let mut response = ask(&chat(&base_url).await).await;
    for word in ["one", "two", "three"] {
        go.send(()).unwrap();
        let expected = event(word);
        let mut received = Vec::new();
        while received.len() < expected.len() {
            let chunk = tokio::time::timeout(PATIENCE, response.chunk()).await.expect(word).unwrap().expect(word);
            received.extend_from_slice(&chunk);
        }
        assert_eq!(received, expected.as_bytes());
    }
    assert_eq!(response.chunk().await.unwrap(), None);
}
