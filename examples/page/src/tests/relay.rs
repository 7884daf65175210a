//! `POST /chat`, and the requests to a model's server.

use eventwire_test::{End, Script, TestServer};
use eventwire_test_support::PATIENCE;
use reqwest::{Method, Response};
use serde_json::{Value, json};
use tokio::time::timeout;

use super::asking::{DONE, ask, event, post, settings, with_answer, with_model};

/// Returns the received bytes and the error that ended them.
async fn read(mut response: Response) -> (Vec<u8>, Option<reqwest::Error>) {
    let mut body = Vec::new();
    loop {
        match timeout(PATIENCE, response.chunk()).await.expect("more of the body") {
            Ok(Some(chunk)) => body.extend_from_slice(&chunk),
            Ok(None) => return (body, None),
            Err(error) => return (body, Some(error)),
        }
    }
}

#[tokio::test]
async fn the_conversation_goes_to_the_model() {
    let server = TestServer::new().answers([Script::new().send(DONE), Script::new().send(DONE)]);
    let url = with_model(&server.url(), settings().speaker).await;
    let messages = json!([{ "role": "system", "content": "Be kind." }, { "role": "user", "content": "é" }]);
    let tools = json!([{ "type": "function", "function": { "name": "f" } }]);
    let asked =
        json!({ "messages": messages, "tools": tools, "model": "other", "n": 2, "stream": false, "temperature": 0.5 });
    for path in ["chat", "talk"] {
        post(&format!("{url}{path}"), &asked).await.bytes().await.unwrap();
    }
    let requests = server.requests();
    assert_eq!(requests.len(), 2);
    for request in requests {
        assert_eq!((request.method(), request.uri().path()), (&Method::POST, "/events/chat/completions"));
        assert_eq!(request.headers()["content-type"], "application/json");
        let sent: Value = serde_json::from_slice(request.body()).unwrap();
        let expected =
            json!({ "messages": messages, "tools": tools, "model": "m", "stream": true, "temperature": 0.5 });
        assert_eq!(sent, expected);
    }
}

/// Nothing is retried; the page decides. A repeated request could be billed twice.
#[tokio::test]
async fn a_refusal_is_passed_on_and_nothing_is_retried() {
    for (status, retry_after) in
        [(503, Some("7")), (429, Some("Fri, 31 Dec 1999 23:59:59 GMT")), (401, None), (500, None)]
    {
        let body = r#"{"error":{"message":"not now"}}"#;
        let refusal = Script::status(status).header("content-type", "application/json").send(body);
        let refusal = retry_after.into_iter().fold(refusal, |refusal, value| refusal.header("retry-after", value));
        for path in ["chat", "talk"] {
            // A retry would get the second answer.
            let server = TestServer::new().answers([refusal.clone(), Script::new().send(DONE)]);
            let url = with_model(&server.url(), settings().speaker).await;
            let response = ask(&format!("{url}{path}")).await;
            assert_eq!(response.status(), status);
            assert_eq!(response.headers()["content-type"], "application/json");
            let passed_on = response.headers().get("retry-after").map(|value| value.to_str().unwrap().to_owned());
            assert_eq!(passed_on.as_deref(), retry_after);
            assert_eq!(response.text().await.unwrap(), body);
            assert_eq!(server.requests().len(), 1, "{status}");
        }
    }
}

/// Any client can detect that the answer is truncated: the HTTP response is incomplete, after the last words.
#[tokio::test]
async fn a_stream_that_breaks_is_broken() {
    let words = event("one two");
    for answer in [
        Script::new().header("content-length", "100000").send(words.clone()),
        Script::new().send(words.clone()).with_end(End::Close),
        // The words and the error are read together.
        Script::new()
            .header("transfer-encoding", "chunked")
            .send(format!("{:x}\r\n{words}\r\nnonsense\r\n", words.len())),
    ] {
        for (path, end) in [("chat", words.as_str()), ("talk", "one two")] {
            let (url, _model) = with_answer(answer.clone()).await;
            let (body, error) = read(ask(&format!("{url}{path}")).await).await;
            let body = String::from_utf8(body).unwrap();
            assert!(body.ends_with(end), "{path}: {body}");
            assert!(error.is_some(), "{path}: {body}");
        }
    }
}
