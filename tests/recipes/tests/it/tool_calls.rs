//! Tool calls are put together from their pieces, and returned only if the answer is complete.

use crate::patiently;
use eventwire_recipes::tool_calls::{ToolCall, ask};
use eventwire_test::{Script, TestServer};
use serde_json::{Value, json};

/// Returns the text, and the calls or the error.
async fn run(chunks: &[Value], end: &str) -> (String, Result<Vec<ToolCall>, String>) {
    let body: String = chunks.iter().map(|chunk| format!("data: {chunk}\n\n")).collect();
    let server = TestServer::new().answer(Script::new().send(body + end));
    let mut out = Vec::new();
    let request = reqwest::Client::new().post(server.url());
    let question = json!({ "model": "m", "messages": [], "tools": [] });
    let result = patiently(ask(request, question, &mut out)).await.map_err(|error| format!("{error:#}"));
    let body: Value = serde_json::from_slice(server.requests()[0].body()).unwrap();
    assert_eq!(body, json!({ "model": "m", "messages": [], "tools": [], "stream": true }));
    (String::from_utf8(out).unwrap(), result)
}

const DONE: &str = "data: [DONE]\n\n";

fn delta(delta: Value) -> Value {
    json!({ "choices": [{ "index": 0, "delta": delta, "finish_reason": null }] })
}

fn pieces(pieces: Value) -> Value {
    delta(json!({ "tool_calls": pieces }))
}

fn finish(reason: &str) -> Value {
    json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": reason }] })
}

fn call(id: &str, name: &str, arguments: &str) -> ToolCall {
    ToolCall { id: id.to_owned(), name: name.to_owned(), arguments: arguments.to_owned() }
}

#[tokio::test]
async fn two_calls_whose_pieces_alternate() {
    let chunks = [
        delta(json!({ "role": "assistant", "content": "Let me look." })),
        pieces(json!([{ "index": 1, "id": "b", "type": "function", "function": { "name": "time", "arguments": "" } }])),
        pieces(json!([{ "index": 0, "id": "a" }])),
        pieces(json!([{ "index": 0, "function": { "name": "weather", "arguments": "{\"city\":" } }])),
        pieces(
            json!([{ "index": 1, "function": { "arguments": "{}" } }, { "index": 0, "function": { "arguments": "\"Rome" } }]),
        ),
        pieces(json!([{ "index": 0, "function": { "arguments": "\"}" } }])),
        finish("tool_calls"),
        json!({ "choices": [], "usage": { "completion_tokens": 9 } }),
    ];
    let (text, calls) = run(&chunks, DONE).await;
    assert_eq!(text, "Let me look.");
    assert_eq!(calls, Ok(vec![call("a", "weather", "{\"city\":\"Rome\"}"), call("b", "time", "{}")]));
}

#[tokio::test]
async fn an_answer_without_calls() {
    let (text, calls) = run(&[delta(json!({ "content": "Hi" })), finish("stop")], DONE).await;
    assert_eq!((text.as_str(), calls), ("Hi", Ok(vec![])));
}

#[tokio::test]
async fn what_some_servers_send() {
    let chunks = [
        json!({ "prompt_filter_results": [] }),
        json!({ "choices": null }),
        json!({ "choices": [{ "index": 0, "delta": null }] }),
        delta(json!({ "content": null, "tool_calls": null })),
        pieces(json!([{ "index": 0, "id": "a", "function": { "name": "now", "arguments": null } }])),
        pieces(json!([{ "index": 0, "id": "a", "function": { "name": "", "arguments": "{" } }])),
        pieces(json!([{ "index": 0, "id": "", "function": { "name": "now", "arguments": "}" } }])),
        finish("stop"),
        json!({ "choices": [{ "index": 0, "delta": {}, "usage": {} }] }),
    ];
    assert_eq!(run(&chunks, DONE).await.1, Ok(vec![call("a", "now", "{}")]));
}

#[tokio::test]
async fn an_incomplete_answer_returns_no_calls() {
    let piece = || pieces(json!([{ "index": 0, "id": "a", "function": { "name": "rm", "arguments": "{}" } }]));
    let check = async |chunks: &[Value], end, expected: &str| {
        let error = run(chunks, end).await.1.unwrap_err();
        assert_eq!(error, expected);
    };
    let cut = |reason| format!("the answer is not complete, finish_reason: {reason}");
    check(&[piece(), finish("length")], DONE, &cut("Some(\"length\")")).await;
    check(&[piece(), finish("content_filter")], DONE, &cut("Some(\"content_filter\")")).await;
    check(&[piece()], DONE, &cut("None")).await;
    check(&[piece(), finish("tool_calls")], "", "the stream is truncated: it ended without `[DONE]`").await;
}
