//! Answers, streamed and not.

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};

use crate::client::{Answer, CHAT, Gateway, TEXT, chat, first_token, with};

#[tokio::test]
async fn a_chat_chunk_by_chunk() {
    let gateway = Gateway::start().await;
    let answer = gateway.post(CHAT, with(chat("Hello, world"), &json!({ "stream": true }))).await;
    assert_eq!(answer.header("cache-control"), "no-cache, no-transform");
    assert_eq!(answer.header("x-accel-buffering"), "no");
    assert_eq!(answer.header("transfer-encoding"), "chunked");
    let chunks = answer.chunks();
    let (id, created) = (chunks[0]["id"].as_str().unwrap(), chunks[0]["created"].as_u64().unwrap());
    assert!(id.starts_with("chatcmpl-") && id.len() > "chatcmpl-".len(), "{id}");
    let expected = [
        (json!({ "role": "assistant", "content": "" }), Value::Null),
        (json!({ "content": "Hello, " }), Value::Null),
        (json!({ "content": "world" }), Value::Null),
        (json!({}), json!("stop")),
    ];
    let expected = expected.map(|(delta, finish_reason)| {
        let choice = json!({ "index": 0, "delta": delta, "logprobs": null, "finish_reason": finish_reason });
        json!({
            "id": id, "object": "chat.completion.chunk", "created": created, "model": "echo", "choices": [choice],
        })
    });
    assert_eq!(chunks, expected);
}

#[tokio::test]
async fn a_chat_at_once() {
    let gateway = Gateway::start().await;
    // Parameters that the model does not know are ignored, and nulls count as missing.
    let members = json!({ "temperature": 0.5, "n": 1, "tools": [], "stop": null, "stream": null, "x": { "y": 1 } });
    let answer = gateway.post(CHAT, with(chat(" Hello, \r\n world"), &members)).await.json();
    let message = json!({ "role": "assistant", "content": " Hello, \r\n world", "refusal": null });
    let expected = json!({
        "id": answer["id"], "object": "chat.completion", "created": answer["created"], "model": "echo",
        "choices": [{ "index": 0, "message": message, "logprobs": null, "finish_reason": "stop" }],
        "usage": { "prompt_tokens": 2, "completion_tokens": 2, "total_tokens": 4 },
    });
    assert_eq!(answer, expected);
    let again = gateway.post(CHAT, chat("a")).await.json();
    assert_ne!(answer["id"], again["id"]);
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

/// A choice of a completion.
fn choice(index: usize, text: &str, finish_reason: &str) -> Value {
    json!({ "index": index, "text": text, "logprobs": null, "finish_reason": finish_reason })
}

#[tokio::test]
async fn awkward_white_space() {
    let gateway = Gateway::start().await;
    let cases: [(&str, &[&str]); 8] = [
        ("", &[]),
        (" \r\n\t ", &[" \r\n\t "]),
        ("  one   two  ", &["  one   ", "two  "]),
        ("\n\tone\r\n\r\ntwo\rthree\n", &["\n\tone\r\n\r\n", "two\r", "three\n"]),
        ("日本語 🦀\n👩‍👩‍👧 é", &["日本語 ", "🦀\n", "👩‍👩‍👧 ", "é"]),
        ("no\u{A0}break\u{3000}wide", &["no\u{A0}", "break\u{3000}", "wide"]),
        ("data: one\n\nevent: two", &["data: ", "one\n\n", "event: ", "two"]),
        ("\"quoted\\\" {\"error\":\"\u{0}\u{1B}\"}", &["\"quoted\\\" ", "{\"error\":\"\u{0}\u{1B}\"}"]),
    ];
    for (text, tokens) in cases {
        let chunks = gateway.post(CHAT, with(chat(text), &json!({ "stream": true }))).await.chunks();
        // One chunk comes before the tokens, one after them.
        assert_eq!(chunks.len(), tokens.len() + 2, "{text:?}");
        let said = chunks[1..chunks.len() - 1].iter().map(|chunk| chunk["choices"][0]["delta"]["content"].clone());
        assert_eq!(said.collect::<Vec<_>>(), tokens, "{text:?}");
    }
}

#[tokio::test]
async fn the_usage_comes_last_where_it_is_asked_for() {
    let gateway = Gateway::start().await;
    let asked = json!({ "stream": true, "stream_options": { "include_usage": true }, "max_tokens": 2 });
    for (path, body) in
        [(CHAT, chat("  one two\nthree ")), (TEXT, json!({ "model": "echo", "prompt": "one two three" }))]
    {
        let chunks = gateway.post(path, with(body, &asked)).await.chunks();
        let (last, before) = chunks.split_last().unwrap();
        assert_eq!(last["choices"], json!([]));
        assert_eq!(last["usage"], json!({ "prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5 }));
        assert_eq!(before.last().unwrap()["choices"][0]["finish_reason"], "length");
        for chunk in before {
            assert_eq!(chunk.get("usage"), Some(&Value::Null));
            assert_eq!((&chunk["id"], &chunk["created"]), (&last["id"], &last["created"]));
        }
    }
    for options in [json!(null), json!({}), json!({ "include_usage": false })] {
        let body = with(chat("a"), &json!({ "stream": true, "stream_options": options }));
        for chunk in gateway.post(CHAT, body).await.chunks() {
            assert_eq!((chunk.get("usage"), chunk["choices"].as_array().unwrap().len()), (None, 1));
        }
    }
}

#[tokio::test]
async fn an_answer_is_cut_at_its_limit() {
    let gateway = Gateway::start().await;
    let cases = [
        ("one two three", json!({ "max_tokens": 0 }), "", "length"),
        ("one two three", json!({ "max_completion_tokens": 2 }), "one two ", "length"),
        ("one two three", json!({ "max_completion_tokens": 2, "max_tokens": 1 }), "one ", "length"),
        ("one two three", json!({ "max_tokens": 3 }), "one two three", "stop"),
        ("", json!({ "max_tokens": 0 }), "", "stop"),
    ];
    for (text, limit, said, finish_reason) in cases {
        let chunks = gateway.post(CHAT, with(with(chat(text), &limit), &json!({ "stream": true }))).await.chunks();
        let deltas = chunks.iter().map(|chunk| &chunk["choices"][0]["delta"]);
        let streamed: String = deltas.filter_map(|delta| delta["content"].as_str()).collect();
        let end = &chunks.last().unwrap()["choices"][0];
        assert_eq!((streamed.as_str(), &end["finish_reason"]), (said, &json!(finish_reason)), "{text:?}, {limit}");

        let whole = gateway.post(CHAT, with(chat(text), &limit)).await.json();
        let choice = &whole["choices"][0];
        assert_eq!((&choice["message"]["content"], &choice["finish_reason"]), (&json!(said), &json!(finish_reason)));
    }
}

#[tokio::test]
async fn a_token_is_sent_before_the_next_is_due() {
    let gateway = Gateway::with_delay(Duration::from_secs(3600)).await;
    let (_response, read) = first_token(&gateway).await;
    // Only the role and the token.
    assert_eq!(read.matches("data: ").count(), 2, "{read}");
}

#[tokio::test]
async fn events_for_a_browser() {
    let gateway = Gateway::start().await;
    let after = async |id: &str| {
        let request = gateway.request(Method::GET, "/v1/events?text=%20one%20%20two%0A%0Athree%0D%0Afour%0Dfive");
        Answer::of(request.header("last-event-id", id)).await
    };
    let expected = "\
        event: word\nid: 1\ndata:  one  \n\n\
        event: word\nid: 2\ndata: two\ndata: \ndata: \n\n\
        event: word\nid: 3\ndata: three\ndata: \n\n\
        event: word\nid: 4\ndata: four\ndata: \n\n\
        event: word\nid: 5\ndata: five\n\n\
        event: done\nid: 6\ndata: [DONE]\n\n";
    let rest = &expected[expected.find("event: word\nid: 3").unwrap()..];
    for (id, body) in [("", expected), ("0", expected), ("none", expected), ("2", rest)] {
        let answer = after(id).await;
        assert_eq!((answer.status, answer.body.as_str()), (200, body), "{id:?}");
        assert_eq!(answer.header("content-type"), "text/event-stream");
    }
    // The browser received everything, including the end. After a 204 it does not reconnect.
    for id in ["6", "7", "18446744073709551615"] {
        let answer = after(id).await;
        assert_eq!((answer.status, answer.body.as_str()), (204, ""), "{id:?}");
    }
}
