//! Streamed answers.

use std::iter;
use std::time::{Duration, Instant};

use eventwire_test_support::PATIENCE;
use reqwest::Method;
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::client::{Answer, CHAT, Gateway, TEXT, chat, send, with};

#[tokio::test]
async fn a_chat_chunk_by_chunk() {
    let gateway = Gateway::start().await;
    let answer = gateway.post(CHAT, with(chat("Hello, world"), &json!({ "stream": true }))).await;
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
async fn the_headers_of_a_stream() {
    let gateway = Gateway::start().await;
    for path in [CHAT, TEXT] {
        let body = with(chat("a"), &json!({ "stream": true, "prompt": "a" }));
        let answer = gateway.post(path, body).await;
        assert_eq!(answer.header("content-type"), "text/event-stream");
        assert_eq!(answer.header("cache-control"), "no-cache, no-transform");
        assert_eq!(answer.header("x-accel-buffering"), "no");
        assert_eq!(answer.header("transfer-encoding"), "chunked");
    }
}

#[tokio::test]
async fn ids_are_unique_and_times_are_now() {
    let gateway = Gateway::start().await;
    let now = std::time::SystemTime::now().duration_since(std::time::SystemTime::UNIX_EPOCH).unwrap().as_secs();
    let mut ids = Vec::new();
    for path in [CHAT, TEXT, CHAT, TEXT] {
        for stream in [true, false] {
            let body = with(chat("a"), &json!({ "stream": stream, "prompt": "a" }));
            let answer = gateway.post(path, body).await;
            let first = if stream { answer.chunks().swap_remove(0) } else { answer.json() };
            assert!(first["created"].as_u64().unwrap() - now < PATIENCE.as_secs(), "{first}");
            ids.push(first["id"].as_str().unwrap().to_owned());
        }
    }
    let count = ids.len();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), count, "{ids:?}");
}

#[tokio::test]
async fn awkward_white_space() {
    let gateway = Gateway::start().await;
    let cases: [(&str, &[&str]); 12] = [
        ("", &[]),
        (" ", &[" "]),
        (" \r\n\t ", &[" \r\n\t "]),
        ("word", &["word"]),
        ("one two", &["one ", "two"]),
        ("  one   two  ", &["  one   ", "two  "]),
        ("\n\tone\r\n\r\ntwo\rthree\n", &["\n\tone\r\n\r\n", "two\r", "three\n"]),
        ("日本語 🦀\n👩‍👩‍👧 é", &["日本語 ", "🦀\n", "👩‍👩‍👧 ", "é"]),
        ("no\u{A0}break\u{3000}wide", &["no\u{A0}", "break\u{3000}", "wide"]),
        ("data: one\n\nevent: two", &["data: ", "one\n\n", "event: ", "two"]),
        ("\"quoted\\\" {\"error\":\"\u{0}\u{1B}\"}", &["\"quoted\\\" ", "{\"error\":\"\u{0}\u{1B}\"}"]),
        ("[DONE] [DONE]", &["[DONE] ", "[DONE]"]),
    ];
    for (text, tokens) in cases {
        assert_eq!(naive(text), tokens, "{text:?}");
        let chunks = gateway.post(CHAT, with(chat(text), &json!({ "stream": true }))).await.chunks();
        // One chunk comes before the tokens, one after them.
        assert_eq!(chunks.len(), tokens.len() + 2, "{text:?}");
        let said = chunks[1..chunks.len() - 1].iter().map(|chunk| chunk["choices"][0]["delta"]["content"].clone());
        assert_eq!(said.collect::<Vec<_>>(), tokens, "{text:?}");
    }
}

#[tokio::test]
async fn every_short_text_as_one_prompt_of_many() {
    let pieces = ["a", " ", "\n", "é"];
    let longer = |texts: &Vec<String>| {
        let longer = texts.iter().flat_map(|text| pieces.map(|piece| format!("{text}{piece}")));
        Some(longer.collect())
    };
    let texts: Vec<String> = iter::successors(Some(vec![String::new()]), longer).take(6).flatten().collect();
    assert_eq!(texts.len(), 1 + 4 + 16 + 64 + 256 + 1024);

    let gateway = Gateway::start().await;
    let chunks = gateway.post(TEXT, json!({ "model": "echo", "prompt": texts, "stream": true })).await.chunks();
    let mut chunks = chunks.iter();
    for (index, text) in texts.iter().enumerate() {
        let mut said = Vec::new();
        let end = loop {
            let choice = &chunks.next().expect("a chunk")["choices"][0];
            assert_eq!(choice["index"], index);
            if !choice["finish_reason"].is_null() {
                break choice;
            }
            said.push(choice["text"].as_str().unwrap());
        };
        assert_eq!((&end["text"], &end["finish_reason"]), (&json!(""), &json!("stop")));
        assert_eq!((said.concat(), said), (text.clone(), naive(text).iter().map(|token| &**token).collect()));
    }
    assert!(chunks.next().is_none());
}

/// The same, character by character. A token begins with a word, or at the start of the text.
fn naive(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    for char in text.chars() {
        let begins = match tokens.last() {
            None => true,
            Some(token) => !char.is_whitespace() && token.ends_with(char::is_whitespace) && !token.trim().is_empty(),
        };
        if begins {
            tokens.push(String::new());
        }
        tokens.last_mut().unwrap().push(char);
    }
    tokens
}

#[tokio::test]
async fn the_usage_comes_last_where_it_is_asked_for() {
    let gateway = Gateway::start().await;
    let asked = json!({ "stream": true, "stream_options": { "include_usage": true }, "max_tokens": 2 });
    let messages = json!([
        { "role": "system", "content": "Be so kind." },
        { "role": "user", "content": "  one two\nthree " },
    ]);
    for (path, body) in [
        (CHAT, json!({ "model": "echo", "messages": messages })),
        (TEXT, json!({ "model": "echo", "prompt": "Be so kind. one two three" })),
    ] {
        let chunks = gateway.post(path, with(body, &asked)).await.chunks();
        let (last, before) = chunks.split_last().unwrap();
        assert_eq!(last["choices"], json!([]));
        assert_eq!(last["usage"], json!({ "prompt_tokens": 6, "completion_tokens": 2, "total_tokens": 8 }));
        assert_eq!(before.last().unwrap()["choices"][0]["finish_reason"], "length");
        for chunk in before {
            assert_eq!(chunk.get("usage"), Some(&Value::Null));
            assert_eq!((&chunk["id"], &chunk["created"]), (&last["id"], &last["created"]));
        }
    }
    for left_out in
        [json!({}), json!({ "stream_options": null }), json!({ "stream_options": { "include_usage": false } })]
    {
        let body = with(with(chat("a"), &asked), &json!({ "stream_options": null }));
        for chunk in gateway.post(CHAT, with(body, &left_out)).await.chunks() {
            assert_eq!((chunk.get("usage"), chunk["choices"].as_array().unwrap().len()), (None, 1));
        }
    }
}

#[tokio::test]
async fn an_answer_is_cut_at_its_limit() {
    let gateway = Gateway::start().await;
    let cases = [
        ("one two three", json!({ "max_tokens": 0 }), "", "length"),
        ("one two three", json!({ "max_tokens": 1 }), "one ", "length"),
        ("one two three", json!({ "max_completion_tokens": 2 }), "one two ", "length"),
        ("one two three", json!({ "max_completion_tokens": 2, "max_tokens": 1 }), "one ", "length"),
        ("one two three", json!({ "max_tokens": 3 }), "one two three", "stop"),
        ("one two three", json!({ "max_tokens": u64::MAX }), "one two three", "stop"),
        ("one two three", json!({ "max_tokens": null }), "one two three", "stop"),
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
    let body = with(chat("one two"), &json!({ "stream": true })).to_string();
    let mut response = send(gateway.request(Method::POST, CHAT).body(body)).await;
    let mut read = String::new();
    while !read.contains("one ") {
        let chunk = timeout(PATIENCE, response.chunk()).await.expect("the first token").unwrap();
        read += std::str::from_utf8(&chunk.expect("more of the stream")).unwrap();
    }
    // Only the role and the token.
    assert_eq!(read.matches("data: ").count(), 2, "{read}");
}

#[tokio::test]
async fn the_delay_is_between_two_tokens() {
    let gateway = Gateway::with_delay(Duration::from_millis(40)).await;
    let begin = Instant::now();
    let answer = gateway.post(CHAT, with(chat("one two three"), &json!({ "stream": true }))).await;
    assert!(begin.elapsed() >= Duration::from_millis(80), "{:?}", begin.elapsed());
    assert_eq!(answer.chunks().len(), 5);
}

#[tokio::test]
async fn many_streams_at_once() {
    let gateway = Gateway::with_delay(Duration::from_millis(20)).await;
    let streams = (0..200).map(|n| {
        let body = with(chat(&format!("stream {n}")), &json!({ "stream": true })).to_string();
        Answer::of(gateway.request(Method::POST, CHAT).body(body))
    });
    for (n, answer) in futures_util::future::join_all(streams).await.iter().enumerate() {
        assert_eq!(answer.chunks()[2]["choices"][0]["delta"]["content"], n.to_string());
    }
}
