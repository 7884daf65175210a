//! Complete answers.

use eventwire::multipart::{Collected, PartDecoder, WholePart};
use eventwire_test_support::Script;
use serde_json::json;
use talk::Speaker;

use crate::talking::{DONE, Owned, STREAM, ask, event, hear, model, post, spelling, talk};

const SENTENCES: [&str; 3] =
    ["Good morning! This is one sentence.", " This is another one, with 3.5 commas", "\nThe end."];

#[tokio::test]
async fn text_sound_calls_and_a_drawing() {
    let calls = [("weather", r#"{"city": "Lyon"}"#), ("now", "{}")];
    let url = talk(&model(&SENTENCES.concat(), &calls).await, spelling()).await;
    let (heard, end) = hear(ask(&url).await).await;
    end.unwrap();

    let (mut texts, mut sounds) = ([(); 3].map(|()| String::new()), Vec::new());
    let (mut drawings, mut called) = (Vec::new(), Vec::new());
    for (place, part) in heard.iter().enumerate() {
        match part {
            Owned::Text(sentence, text) => texts[usize::try_from(*sentence).unwrap() - 1] += text,
            Owned::Sound(sentence, text) => {
                sounds.push((*sentence, text.as_str()));
                assert!(matches!(heard[place + 1], Owned::Drawing(_)), "{heard:?}");
            }
            Owned::ToolCalls(calls) => called.push(calls),
            Owned::Drawing(svg) => drawings.push(svg),
        }
    }
    assert_eq!(texts, SENTENCES);
    assert_eq!(sounds, [(1, SENTENCES[0]), (2, SENTENCES[1]), (3, SENTENCES[2])]);
    let [calls] = called[..] else { panic!("{called:?}") };
    let call = |place: usize, name: &str, arguments: &str| {
        json!({
            "id": calls["tool_calls"][place]["id"], "type": "function",
            "function": { "name": name, "arguments": arguments },
        })
    };
    assert_eq!(*calls, json!({ "tool_calls": [call(0, "weather", "{\"city\": \"Lyon\"}"), call(1, "now", "{}")] }));
    assert!(calls["tool_calls"][0]["id"].as_str().unwrap().starts_with("call-"));

    // One drawing after each sound, and the last one.
    assert_eq!(drawings.len(), 4);
    let is_drawing = |svg: &str| svg.starts_with("<svg ") && svg.ends_with("</svg>");
    assert!(drawings.iter().all(|svg| is_drawing(svg)), "{drawings:?}");
    assert!(drawings[..3].iter().all(|svg| svg.contains(" of sound …<")), "{drawings:?}");
    assert!(drawings[3].contains(">15 words, 0.0 s of sound<"), "{drawings:?}");
    assert!(matches!(heard.last(), Some(Owned::Drawing(_))));
}

/// Reads the response like a client without knowledge of this server.
#[tokio::test]
async fn the_parts_one_by_one() {
    let url = talk(&model("This is a sentence of its own. Bye", &[]).await, Speaker::tones()).await;
    let response = ask(&url).await;
    assert_eq!(response.headers()["cache-control"], "no-cache, no-transform");
    let content_type = response.headers()["content-type"].clone();
    assert!(content_type.to_str().unwrap().starts_with("multipart/x-mixed-replace; boundary="), "{content_type:?}");
    let decoder =
        PartDecoder::from_content_type(content_type.as_bytes()).unwrap().require_close().with_strict_lengths();
    let body = response.bytes().await.unwrap();
    let parts: Vec<WholePart> =
        Collected::new([Ok::<_, std::io::Error>(body)].into_iter(), decoder).map(Result::unwrap).collect();
    let headers = |part: &WholePart| {
        let headers = part.headers();
        headers.iter().map(|(name, value)| format!("{name}: {}", utf8(value))).collect::<Vec<_>>().join(", ")
    };
    let (mut texts, mut rest) = (Vec::new(), Vec::new());
    for part in &parts {
        if part.media_type().unwrap().is("text/plain") {
            texts.push((headers(part), part.text().unwrap()));
        } else {
            assert_eq!(part.headers().content_length(), Some(part.body().len() as u64));
            rest.push(
                headers(part).split(", Content-Length").next().unwrap().to_owned()
                    + headers(part).rsplit_once(char::is_numeric).unwrap().1,
            );
        }
    }
    // The first sound may split the text of the second sentence.
    assert_eq!(
        texts[0],
        ("Content-Type: text/plain; charset=utf-8, Sentence: 1".into(), "This is a sentence of its own.")
    );
    let rest_of_text: String = texts[1..].iter().map(|(_, text)| *text).collect();
    assert_eq!(rest_of_text, " Bye");
    assert!(texts[1..].iter().all(|(headers, _)| headers == "Content-Type: text/plain; charset=utf-8, Sentence: 2"));
    assert_eq!(
        rest,
        [
            "Content-Type: audio/wav",
            "Content-Type: image/svg+xml",
            "Content-Type: audio/wav",
            "Content-Type: image/svg+xml",
            "Content-Type: image/svg+xml"
        ]
    );
}

fn utf8(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

#[tokio::test]
async fn an_answer_without_text() {
    for (events, called) in [
        (String::new(), false),
        (event(""), false),
        (r#"data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}]}}]}"#.to_owned() + "\n\n", true),
    ] {
        let script = Script::new(&[&format!("{STREAM}{events}{DONE}")]);
        let (heard, end) = hear(ask(&talk(&script.url, spelling()).await).await).await;
        end.unwrap();
        match (&heard[..], called) {
            ([Owned::Drawing(_)], false) => {}
            ([Owned::ToolCalls(calls), Owned::Drawing(_)], true) => assert_eq!(calls["tool_calls"][0]["function"]["name"], "f"),
            other => panic!("{other:?}"),
        }
    }
}

/// This text cannot be spoken, but it is part of the answer.
#[tokio::test]
async fn text_without_letters_is_not_spoken() {
    let line = "- ".repeat(20);
    let text = format!("{line}\nHello. 🦀");
    let (heard, end) = hear(ask(&talk(&model(&text, &[]).await, spelling()).await).await).await;
    end.unwrap();
    let sounds: Vec<&Owned> = heard.iter().filter(|part| matches!(part, Owned::Sound(..))).collect();
    assert_eq!(sounds, [&Owned::Sound(2, "\nHello. ð\u{9f}¦\u{80}".into())]);
    assert_eq!(heard[0], Owned::Text(1, line));
}

#[tokio::test]
async fn the_conversation_goes_to_the_model() {
    let script = Script::new(&[&format!("{STREAM}{DONE}")]);
    let url = talk(&script.url, spelling()).await;
    let messages = json!([{ "role": "system", "content": "Be kind." }, { "role": "user", "content": "é" }]);
    let tools = json!([{ "type": "function", "function": { "name": "f" } }]);
    let asked =
        json!({ "messages": messages, "tools": tools, "model": "other", "n": 2, "stream": false, "temperature": 0.5 });
    hear(post(&url, asked).await).await.1.unwrap();
    let requests = script.requests();
    let [request] = &requests[..] else { panic!("{requests:?}") };
    assert_eq!(request.line(), "POST /events/chat/completions HTTP/1.1");
    assert_eq!(request.header("content-type"), ["application/json"]);
    let sent: serde_json::Value = serde_json::from_str(&request.body).unwrap();
    let expected = json!({ "messages": messages, "tools": tools, "model": "echo", "stream": true, "temperature": 0.5 });
    assert_eq!(sent, expected);
}
