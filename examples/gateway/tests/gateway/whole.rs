//! Answers that are not streamed.

use reqwest::Method;
use serde_json::{Value, json};

use crate::client::{Answer, CHAT, Gateway, TEXT, chat, with};

#[tokio::test]
async fn a_chat() {
    let gateway = Gateway::start().await;
    let answer = gateway.post(CHAT, chat(" Hello, \r\n world")).await.json();
    let message = json!({ "role": "assistant", "content": " Hello, \r\n world", "refusal": null });
    let expected = json!({
        "id": answer["id"], "object": "chat.completion", "created": answer["created"], "model": "echo",
        "choices": [{ "index": 0, "message": message, "logprobs": null, "finish_reason": "stop" }],
        "usage": { "prompt_tokens": 2, "completion_tokens": 2, "total_tokens": 4 },
    });
    assert_eq!(answer, expected);
}

#[tokio::test]
async fn the_last_user_message_is_said() {
    let gateway = Gateway::start().await;
    let messages = json!([
        { "role": "developer", "content": "be kind" },
        { "role": "user", "content": "first" },
        { "role": "assistant", "content": null, "tool_calls": [] },
        { "role": "user", "name": "someone", "content": [
            { "type": "text", "text": "sec" },
            { "type": "image_url", "image_url": { "url": "https://example.com/image" } },
            { "type": "text", "text": "ond " },
            { "type": "text", "text": "part" },
        ] },
        { "role": "assistant" },
        { "role": "tool", "content": "result", "tool_call_id": "1" },
    ]);
    let answer = gateway.post(CHAT, json!({ "model": "echo", "messages": messages })).await.json();
    assert_eq!(answer["choices"][0]["message"]["content"], "second part");
    assert_eq!(answer["usage"], json!({ "prompt_tokens": 6, "completion_tokens": 2, "total_tokens": 8 }));
}

#[tokio::test]
async fn a_completion_of_one_prompt_and_of_several() {
    let gateway = Gateway::start().await;
    let answer = gateway.post(TEXT, json!({ "model": "echo", "prompt": "one\ntwo" })).await.json();
    let expected = json!({
        "id": answer["id"], "object": "text_completion", "created": answer["created"], "model": "echo",
        "choices": [{ "index": 0, "text": "one\ntwo", "logprobs": null, "finish_reason": "stop" }],
        "usage": { "prompt_tokens": 2, "completion_tokens": 2, "total_tokens": 4 },
    });
    assert_eq!(answer, expected);
    assert!(answer["id"].as_str().unwrap().starts_with("cmpl-"), "{answer}");

    let body = json!({ "model": "echo", "prompt": ["one two", "", "three"], "max_tokens": 1 });
    let answer = gateway.post(TEXT, &body).await.json();
    let choices = json!([choice(0, "one ", "length"), choice(1, "", "stop"), choice(2, "three", "stop")]);
    assert_eq!(answer["choices"], choices);
    assert_eq!(answer["usage"], json!({ "prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5 }));

    let chunks = gateway.post(TEXT, with(body, &json!({ "stream": true }))).await.chunks();
    let streamed: Vec<&Value> = chunks.iter().map(|chunk| &chunk["choices"][0]).collect();
    let open = |index: usize, text: &str| with(choice(index, text, ""), &json!({ "finish_reason": null }));
    let expected =
        [open(0, "one "), choice(0, "", "length"), choice(1, "", "stop"), open(2, "three"), choice(2, "", "stop")];
    assert_eq!(streamed, expected.iter().collect::<Vec<_>>());
    assert!(chunks.iter().all(|chunk| chunk["object"] == "text_completion" && chunk["id"] == chunks[0]["id"]));
}

#[tokio::test]
async fn unknown_parameters_are_ignored() {
    let gateway = Gateway::start().await;
    let members = json!({ "temperature": 0.5, "n": 1, "tools": [], "stop": null, "stream": null, "x": { "y": 1 } });
    let answer = gateway.post(CHAT, with(chat("a"), &members)).await.json();
    assert_eq!(answer["choices"][0]["message"]["content"], "a");
}

#[tokio::test]
async fn the_content_type_of_a_request_is_ignored() {
    let gateway = Gateway::start().await;
    for content_type in ["application/json", "text/plain", "application/x-www-form-urlencoded"] {
        let request = gateway.request(Method::POST, CHAT).header("content-type", content_type);
        assert_eq!(Answer::of(request.body(chat("a").to_string())).await.status, 200, "{content_type}");
    }
}

#[tokio::test]
async fn the_list_of_models() {
    let gateway = Gateway::start().await;
    let list = gateway.get("/v1/models").await.json();
    assert_eq!((&list["object"], list["data"].as_array().unwrap().len()), (&json!("list"), 1));
    let model = &list["data"][0];
    assert_eq!((&model["id"], &model["object"]), (&json!("echo"), &json!("model")));
    assert!(model["created"].is_u64() && model["owned_by"].is_string(), "{model}");
}

/// A choice of a completion.
fn choice(index: usize, text: &str, finish_reason: &str) -> Value {
    json!({ "index": index, "text": text, "logprobs": null, "finish_reason": finish_reason })
}
