//! A model that answers by a script.

use gateway::{Prompt, Reply, Script, Settings, ToolCall};
use serde_json::{Value, json};

use crate::client::{CHAT, Gateway, TEXT, chat, with};

async fn gateway(content: &str, calls: &[(&str, &str)]) -> Gateway {
    let calls = calls.iter().map(|&(name, arguments)| ToolCall { name: name.into(), arguments: arguments.into() });
    let reply = Reply { content: content.into(), tool_calls: calls.collect() };
    with_script(Script::from_fn(move |_| reply.clone())).await
}

async fn with_script(script: Script) -> Gateway {
    Gateway::with(Settings { script: Some(script), ..Settings::default() }).await
}

#[tokio::test]
async fn text_and_calls_chunk_by_chunk() {
    let gateway = gateway("One moment.", &[("weather", r#"{"city": "Lyon"}"#), ("now", "{}")]).await;
    let chunks = gateway.post(CHAT, with(chat("Is it warm?"), &json!({ "stream": true }))).await.chunks();
    let said: Vec<(&Value, &Value)> = chunks
        .iter()
        .map(|chunk| &chunk["choices"][0])
        .map(|choice| {
            assert_eq!(choice["index"], 0);
            (&choice["delta"], &choice["finish_reason"])
        })
        .collect();
    let id = |chunk: usize| &chunks[chunk]["choices"][0]["delta"]["tool_calls"][0]["id"];
    let start = |index: usize, id: &Value, name: &str| {
        json!({ "tool_calls": [
            { "index": index, "id": id, "type": "function", "function": { "name": name, "arguments": "" } },
        ] })
    };
    let more = |index: usize, arguments: &str| json!({ "tool_calls": [{ "index": index, "function": { "arguments": arguments } }] });
    let expected = [
        (json!({ "role": "assistant", "content": "" }), Value::Null),
        (json!({ "content": "One " }), Value::Null),
        (json!({ "content": "moment." }), Value::Null),
        (start(0, id(3), "weather"), Value::Null),
        (more(0, "{\"city\": "), Value::Null),
        (more(0, "\"Lyon\"}"), Value::Null),
        (start(1, id(6), "now"), Value::Null),
        (more(1, "{}"), Value::Null),
        (json!({}), json!("tool_calls")),
    ];
    assert_eq!(said, expected.iter().map(|(delta, reason)| (delta, reason)).collect::<Vec<_>>());
    assert!(id(3).as_str().unwrap().starts_with("call-") && id(3) != id(6), "{chunks:?}");
}

#[tokio::test]
async fn text_and_calls_at_once() {
    let gateway = gateway("One moment.", &[("weather", r#"{"city": "Lyon"}"#)]).await;
    let answer = gateway.post(CHAT, chat("Is it warm?")).await.json();
    let choice = &answer["choices"][0];
    let call = json!({
        "id": choice["message"]["tool_calls"][0]["id"], "type": "function",
        "function": { "name": "weather", "arguments": "{\"city\": \"Lyon\"}" },
    });
    let message = json!({ "role": "assistant", "content": "One moment.", "refusal": null, "tool_calls": [call] });
    assert_eq!((&choice["message"], &choice["finish_reason"]), (&message, &json!("tool_calls")));
}

#[tokio::test]
async fn nothing_is_called_after_a_text_that_is_cut() {
    let gateway = gateway("One moment.", &[("weather", "{}")]).await;
    for stream in [true, false] {
        let answer = gateway.post(CHAT, with(chat("a"), &json!({ "stream": stream, "max_tokens": 1 }))).await;
        assert!(answer.body.contains(r#""finish_reason":"length""#), "{}", answer.body);
        assert!(!answer.body.contains("tool_calls"), "{}", answer.body);
    }
}

#[tokio::test]
async fn a_prompt_is_repeated_all_the_same() {
    let gateway = gateway("One moment.", &[("weather", "{}")]).await;
    let answer = gateway.post(TEXT, json!({ "model": "echo", "prompt": "a" })).await.json();
    assert_eq!(answer["choices"][0]["text"], "a");
}

#[tokio::test]
async fn a_reply_depends_on_the_prompt() {
    let script = Script::from_fn(|Prompt { text, has_tools, .. }| {
        let call = ToolCall { name: "f".into(), arguments: "{}".into() };
        let tool_calls = if has_tools { vec![call] } else { Vec::new() };
        Reply { content: format!("{text}? {has_tools}"), tool_calls }
    });
    let gateway = with_script(script).await;
    let messages = json!([
        { "role": "user", "content": "first" },
        { "role": "assistant", "content": null, "tool_calls": [{ "id": "a", "type": "function", "function": {} }] },
        { "role": "tool", "tool_call_id": "a", "content": "done" },
        { "role": "user", "content": [{ "type": "text", "text": "last" }] },
        { "role": "assistant", "content": "not this" },
    ]);
    let tool = json!({ "type": "function", "function": { "name": "f" } });
    for (tools, has_tools) in [(Value::Null, false), (json!([]), false), (json!([tool]), true)] {
        let body = json!({ "model": "echo", "messages": messages, "tools": tools });
        let choice = gateway.post(CHAT, body).await.json()["choices"][0].take();
        assert_eq!(choice["message"]["content"], format!("last? {has_tools}"), "{tools}");
        assert_eq!(choice["message"].get("tool_calls").is_some(), has_tools, "{tools}");
    }
}
