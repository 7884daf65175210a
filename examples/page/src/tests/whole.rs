//! Complete answers.

use eventwire::{Dialect, EventsExt};
use eventwire_test::Script;
use futures_util::StreamExt;
use serde_json::{Value, json};

use super::asking::{DONE, Heard, ask, event, hear, post, serve_with, settings, with_answer};
use crate::speaker::Speaker;

const SENTENCES: [&str; 3] =
    ["Good morning! This is one sentence.", " This is another one, with 3.5 commas", "\nThe end."];

/// Returns an event with these pieces of tool calls.
fn calls(pieces: Value) -> String {
    format!("data: {}\n\n", json!({ "choices": [{ "delta": { "tool_calls": pieces } }] }))
}

#[tokio::test]
async fn text_sound_calls_and_drawings() {
    // The second call's pieces have no index, and a third one has the index of the first, but another ID.
    let pieces = [
        calls(json!([{ "index": 0, "id": "a", "function": { "name": "weather", "arguments": "{\"city\":" } }])),
        calls(json!([{ "index": 0, "function": null }, { "index": 0, "function": { "arguments": " \"Lyon\"}" } }])),
        calls(json!([{ "id": "b", "function": { "name": "now" } }, { "function": { "arguments": "{}" } }])),
        calls(json!([{ "index": 0, "id": "c", "function": { "name": "bye", "arguments": "{}" } }])),
    ];
    let answer = Script::new().send(event(&SENTENCES.concat())).send(pieces.concat()).send(DONE);
    let (url, _model) = with_answer(answer).await;
    let (heard, end) = hear(ask(&format!("{url}talk")).await).await;
    end.unwrap();

    let (mut texts, mut sounds) = ([(); 3].map(|()| String::new()), Vec::new());
    let (mut drawings, mut called) = (Vec::new(), Vec::new());
    for (place, part) in heard.iter().enumerate() {
        match part {
            Heard::Text(sentence, text) => texts[usize::try_from(*sentence).unwrap() - 1] += text,
            Heard::Sound(sentence, text) => {
                sounds.push((*sentence, text.as_str()));
                assert!(matches!(heard[place + 1], Heard::Drawing(_)), "{heard:?}");
            }
            Heard::Calls(calls) => called.push(calls),
            Heard::Drawing(svg) => drawings.push(svg),
        }
    }
    assert_eq!(texts, SENTENCES);
    assert_eq!(sounds, [(1, SENTENCES[0]), (2, SENTENCES[1]), (3, SENTENCES[2])]);
    let call = |id: &str, name: &str, arguments: &str| json!({ "id": id, "type": "function", "function": { "name": name, "arguments": arguments } });
    let expected = [call("a", "weather", "{\"city\": \"Lyon\"}"), call("b", "now", "{}"), call("c", "bye", "{}")];
    assert_eq!(called, [&json!({ "tool_calls": expected })]);
    // One drawing after each sound, and the last one.
    assert_eq!(drawings.len(), 4);
    assert!(drawings[..3].iter().all(|svg| svg.contains(" of sound …<")), "{drawings:?}");
    assert!(drawings[3].contains(">sentences: 3, 0.0 s of sound<"), "{drawings:?}");
    assert!(matches!(heard.last(), Some(Heard::Drawing(_))));
}

#[tokio::test]
async fn an_answer_without_text() {
    // Filters and gateways send chunks without choices or deltas.
    let wordless = [
        "{}",
        r#"{"choices":null}"#,
        r#"{"choices":[]}"#,
        r#"{"choices":[{}]}"#,
        r#"{"choices":[{"delta":null}]}"#,
        r#"{"choices":[{"delta":{"content":null,"tool_calls":null}}]}"#,
    ];
    let wordless = wordless.map(|chunk| format!("data: {chunk}\n\n")).concat();
    for events in ["", &event(""), &wordless] {
        let (url, _model) = with_answer(Script::new().send(format!("{events}{DONE}"))).await;
        let (heard, end) = hear(ask(&format!("{url}talk")).await).await;
        end.unwrap();
        assert!(matches!(&heard[..], [Heard::Drawing(_)]), "{heard:?}");
    }
}

/// The demo model answers as an event stream, and as parts with the calls that were asked for.
#[tokio::test]
async fn the_demo() {
    let url = serve_with(settings()).await;
    let messages = json!([{ "role": "user", "content": "Make the circle red, please." }]);
    let response = post(&format!("{url}chat"), json!({ "messages": messages })).await;
    let mut chunks = response.bytes_stream();
    // Before the first word: Firefox opens a response with its first byte.
    let first = chunks.next().await.unwrap().unwrap();
    assert_eq!(first, ": \n\n");
    let mut chunks = chunks.events().json_with::<Value>(Dialect::OPENAI);
    let mut text = String::new();
    while let Some(chunk) = chunks.next().await {
        text += chunk.unwrap()["choices"][0]["delta"]["content"].as_str().unwrap();
    }
    assert!(text.starts_with("You wrote: “Make the circle red, please”. I am"), "{text}");

    let tools = json!([{ "type": "function", "function": { "name": "change_shape" } }]);
    let (heard, end) = hear(post(&format!("{url}talk"), json!({ "messages": messages, "tools": tools })).await).await;
    end.unwrap();
    let calls = heard.iter().find_map(|part| if let Heard::Calls(calls) = part { Some(calls) } else { None }).unwrap();
    assert_eq!(calls["tool_calls"][0]["function"]["arguments"], "{\"colour\":\"red\",\"shape\":\"circle\"}");
    let sounds = heard.iter().filter(|part| matches!(part, Heard::Sound(..))).count();
    assert_eq!(sounds, 3, "{heard:?}");
}

/// The program says its sentences if it is installed, and nothing fails if it cannot.
#[tokio::test]
async fn espeak_or_a_tone() {
    let text = "This is a sentence that takes some time to say.";
    let tone = Speaker::tone().speak(text.into()).await;
    assert_eq!(Speaker::espeak("/nonexistent/espeak-ng").speak(text.into()).await, tone);
    assert_eq!(Speaker::espeak("true").speak(text.into()).await, tone, "a program that says nothing");
    let sound = Speaker::installed().await.speak(text.into()).await;
    if std::process::Command::new("espeak-ng").arg("--version").output().is_err() {
        println!("NOT RUN: espeak-ng is not installed");
        return;
    }
    assert_ne!(sound, tone);
    assert!(sound.samples.iter().any(|sample| sample.unsigned_abs() > 2_000));
}
