//! A request to an MCP server, whose stream a GET continues.

use crate::{header, patiently, reqwest_client, stream};
use eventwire_recipes::mcp::call;
use eventwire_test::{Script, TestServer};
use serde_json::{Value, json};

const PROGRESS: &str = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{}}";
const RESPONSE: &str = "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"content\":[]}}";

/// The messages before the response, the response, and method, session and last event ID of each request.
struct Run {
    messages: Vec<Value>,
    result: Result<Value, String>,
    requests: Vec<String>,
}

async fn run(session: Option<&str>, answers: impl IntoIterator<Item = Script>) -> Run {
    let server = TestServer::new().answers(answers);
    let (client, url) = (reqwest_client(), server.url());
    let request = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {} });
    let mut messages = Vec::new();
    let called = call(&client, &url, session, &request, |message| messages.push(message));
    let result = patiently(called).await.map_err(|error| format!("{error:#}"));
    let requests = server.requests();
    for request in &requests {
        assert_eq!(header(request, "accept"), ["application/json, text/event-stream"]);
        assert_eq!(header(request, "mcp-protocol-version"), ["2025-06-18"]);
        assert_eq!(request.method() == "POST", !request.body().is_empty());
    }
    let requests = requests.iter().map(|request| {
        let headers = ["mcp-session-id", "last-event-id"].map(|name| header(request, name).concat());
        format!("{} {}", request.method(), headers.join(" "))
    });
    Run { messages, result, requests: requests.collect() }
}

fn progress() -> Value {
    serde_json::from_str(PROGRESS).unwrap()
}

fn response() -> Result<Value, String> {
    Ok(serde_json::from_str(RESPONSE).unwrap())
}

#[tokio::test]
async fn a_get_continues_the_stream_of_the_post() {
    let first = stream(&format!("id: a\ndata: {PROGRESS}\n\ndata: {{\"cut"));
    let second = stream(&format!("id: b\ndata: {PROGRESS}\n\n"));
    let last = stream(&format!("id: c\ndata: {RESPONSE}\n\nid: d\ndata: {PROGRESS}\n\n"));
    let run = run(Some("s"), [first, second, last]).await;
    assert_eq!((run.messages, run.result), (vec![progress(), progress()], response()));
    assert_eq!(run.requests, ["POST s ", "GET s a", "GET s b"]);
}

/// Version 2025-11-25 begins a stream with such an event, and may close the connection after it.
#[tokio::test]
async fn an_event_with_only_an_id_is_enough_to_continue() {
    let run = run(None, [stream("id: a\ndata:\n\n"), stream(&format!("data: {RESPONSE}\n\n"))]).await;
    assert_eq!((run.messages, run.result), (vec![], response()));
    assert_eq!(run.requests, ["POST  ", "GET  a"]);
}

#[tokio::test]
async fn without_an_id_the_request_is_not_sent_again() {
    for body in [format!("data: {PROGRESS}\n\n"), String::new()] {
        let run = run(Some("s"), [stream(&body), stream(&format!("data: {RESPONSE}\n\n"))]).await;
        let error = run.result.unwrap_err();
        assert!(error.starts_with("the server has not answered the request: not retried: "), "{error}");
        assert_eq!(run.requests, ["POST s "]);
    }
}

#[tokio::test]
async fn an_answer_in_json() {
    let answer = Script::status(200).header("content-type", "application/json").send(RESPONSE);
    let run = run(None, [answer]).await;
    assert_eq!((run.messages, run.result, run.requests.len()), (vec![], response(), 1));
}

#[tokio::test]
async fn a_request_of_the_server_with_the_same_id_is_not_the_response() {
    let ask = "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"roots/list\"}";
    let error = "{\"jsonrpc\":\"2.0\",\"id\":7,\"error\":{\"code\":-32602,\"message\":\"unknown tool\"}}";
    let run = run(None, [stream(&format!("data: {ask}\n\ndata: {error}\n\n"))]).await;
    assert_eq!(run.messages[0]["method"], "roots/list");
    assert_eq!(run.result.unwrap()["error"]["message"], "unknown tool");
}

#[tokio::test]
async fn a_session_that_has_ended() {
    let first = stream(&format!("id: a\ndata: {PROGRESS}\n\n"));
    let run = run(Some("s"), [first, Script::status(404)]).await;
    let error = "the server has not answered the request: the server answered 404 Not Found";
    assert_eq!(run.result, Err(error.to_owned()));
    assert_eq!(run.requests, ["POST s ", "GET s a"]);
}

/// The limit of an event is 16 MiB by default.
#[tokio::test]
async fn a_response_that_is_too_large() {
    let run = run(None, [stream(&format!("data: {}\n\n", "a".repeat(17 << 20)))]).await;
    let error = run.result.unwrap_err();
    assert!(error.contains("larger than the limit"), "{error}");
    assert_eq!(run.requests, ["POST  "]);
}
