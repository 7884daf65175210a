//! Servers that answer with JSON instead of an event stream.

use serde_json::{Value, json};

use crate::{FailedAsking, answered};

fn completion(content: &Value) -> Value {
    let message = json!({ "role": "assistant", "content": content, "refusal": null });
    let choice = json!({ "index": 0, "message": message, "finish_reason": "stop" });
    json!({ "object": "chat.completion", "choices": [choice], "usage": { "total_tokens": 3 } })
}

/// A response with this body, whose `Content-Length` is larger by `missing`.
fn response(body: &str, missing: usize) -> String {
    let length = body.len() + missing;
    let content_type = "application/json; charset=utf-8";
    format!("HTTP/1.1 200 OK\r\nContent-Type: {content_type}\r\nContent-Length: {length}\r\n\r\n{body}")
}

#[test]
fn a_complete_answer_is_printed() {
    for text in ["one two", "", "a\nb\u{1B}"] {
        let end = answered(response(&completion(&text.into()).to_string(), 0));
        end.printed(&format!("{}\n", text.replace('\u{1B}', "\\u{1b}")));
    }
    // Longer than the default limit on the body of a refusal.
    let long = "long ".repeat(200_000);
    answered(response(&completion(&long.as_str().into()).to_string(), 0)).printed(&format!("{long}\n"));
}

#[test]
fn json_that_is_not_an_answer() {
    for (body, said) in [
        (completion(&Value::Null), "null"),
        (json!({ "choices": [] }), "size 1"),
        (json!({ "models": [] }), "missing field `choices`"),
        (json!([]), "base URL"),
    ] {
        answered(response(&body.to_string(), 0)).failed_asking(&["not a chat completion", said, "base URL"]);
    }
    answered(response("<html>", 0)).failed_asking(&["not a chat completion", "base URL"]);
    let error = json!({ "error": { "message": "over\nloaded" } });
    answered(response(&error.to_string(), 0)).failed_asking(&["reported an error: over\\nloaded", "ask again later"]);
}

#[test]
fn an_incomplete_answer_is_not_printed() {
    let body = completion(&"one two".into()).to_string();
    answered(response(&body[..60], body.len() - 60)).failed_asking(&["cut off", "60 bytes", "ask again"]);
    // The JSON is complete, but the body is not.
    answered(response(&body, 1)).failed_asking(&["cut off", "ask again"]);
    // Longer than the limit on an answer.
    let body = completion(&"a".repeat(5_000_000).into()).to_string();
    answered(response(&body, 0)).failed_asking(&["cut off", "bytes"]);
}
