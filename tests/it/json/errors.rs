//! The errors of a typed stream, whether the stream continues after them, and their messages.

use super::{check, events, lenient, strict};
use crate::scripted_source::Answer::{Chunk, Failure};
use bytes::Bytes;
use eventwire::{Decoder, Dialect, Error, JsonError, WithEvent};
use serde::{
    Deserialize,
    de::{DeserializeOwned, IgnoredAny},
};
use serde_json::Value;
use std::{collections::BTreeMap, convert::Infallible, error::Error as _};

#[test]
fn an_error_of_the_source_is_not_the_end() {
    let timeout = [Chunk("data: 1\n\n"), Failure("timeout"), Chunk("data: 2\n\ndata: [DONE]\n\n")];
    check::<i64>(&timeout, &Decoder::new(), &strict(), &["1", "failure: timeout", "2"], 3);
    let small = Decoder::new().with_max_event_size(10);
    let large = [Chunk("data: 1\n\ndata: 23456\n\ndata: 7\n\n")];
    check::<i64>(&large, &small, &lenient(), &["1", "too large", "7"], 2);
}

#[test]
fn a_member_that_serde_json_rejects_hides_no_error() {
    for data in [
        r#"{"type":1e999,"error":"x"}"#,
        r#"{"type":"\ud800","error":"x"}"#,
        r#"{"error":"x","type":"\ud800"}"#,
        r#"{"type":1e999,"type":"error"}"#,
        r#"{"other":"\ud800","error":"x"}"#,
        r#"{"error":1e999}"#,
        r#"{"error":"\ud800"}"#,
    ] {
        let stream = format!("data: {data}\n\ndata: {{\"type\":\"\\ud800\"}}\n\n").leak();
        let items = [&*format!("reported: {data}"), "IgnoredAny"];
        check::<IgnoredAny>(&[Chunk(stream)], &Decoder::new(), &lenient(), &items, 2);
    }
    // Nor does a key.
    let stream = r#"data: {"\ud800":1,"error":"x"}"#;
    let items = [r#"reported: {"\ud800":1,"error":"x"}"#];
    check::<IgnoredAny>(&[Chunk(stream), Chunk("\n\n")], &Decoder::new(), &lenient(), &items, 3);
}

#[test]
fn a_payload_that_is_too_deep_is_one_error() {
    let deep = format!("data: {}\n\ndata: 1\n\n", "[".repeat(100_000));
    let mut values = events(deep).json::<Value>();
    assert!(matches!(values.next(), Some(Err(JsonError::Payload { .. }))));
    assert_eq!(values.next().unwrap().unwrap(), 1);
}

#[test]
fn errors_say_what_and_where() {
    fn error<T: DeserializeOwned>(stream: impl Into<Bytes>) -> JsonError<Infallible> {
        let mut values = events(stream).json_with::<T>(Dialect::OPENAI);
        values.find_map(Result::err).expect("an error")
    }
    let payload = error::<i64>("event: t\ndata: {\ndata: x\n\n");
    let words = "cannot read the data of a `t` event as JSON: invalid type: map, expected i64 at line 1 column 0; the data \
                 is `{\\nx`";
    assert_eq!(payload.to_string(), words);
    assert!(payload.source().is_none(), "the message would be printed twice");

    let indented = error::<i64>("data:   x\n\n").to_string();
    assert!(indented.starts_with("cannot read the data of a `message` event as JSON: "), "{indented}");
    assert!(indented.ends_with("at line 1 column 3; the data is `x`"), "{indented}");

    let deep =
        error::<Completion>("data: {\"choices\":[{\"delta\":{\"content\":\"a\"}},{\"delta\":{\"content\":7}}]}\n\n");
    let words = "cannot read the data of a `message` event as JSON: choices[1].delta.content: \
                 invalid type: integer `7`, expected a string at line 1 column 59; the data is \
                 `{\"choices\":[{\"delta\":{\"content\":\"a\"}},{\"delta\":{\"content\":7}}]}`";
    assert_eq!(deep.to_string(), words);
    assert_eq!(deep.map_transport(|never| never).to_string(), words);

    let reported = error::<i64>("data: {\"error\":{\"message\":\"overloaded\"}}\n\n");
    assert_eq!(reported.to_string(), "the server reported an error: overloaded");
    assert!(reported.source().is_none());
    let long = format!("event: error\ndata: {}\n\n", "é".repeat(1000));
    let words = format!("the server reported an error: {}...", "é".repeat(200));
    assert_eq!(error::<i64>(long).to_string(), words);
    let whole = format!("event: error\ndata: {}\n\n", "é".repeat(200));
    assert_eq!(error::<i64>(whole).to_string(), words.trim_end_matches('.'));
    assert_eq!(error::<i64>("event: error\ndata\n\n").to_string(), "the server reported an error");
    let controls = error::<i64>("event: a\u{1b}b\ndata: \u{1b}[2J\u{85}\ndata: \u{7}x\n\n").to_string();
    assert!(controls.contains("a `a\\u{1b}b` event"), "{controls}");
    assert!(controls.ends_with("the data is `\\u{1b}[2J\\u{85}\\n\\u{7}x`"), "{controls}");
    let odd = error::<Value>("event: error\ndata: {\"error\":{\"code\":1}}\n\n").to_string();
    assert_eq!(odd, "the server reported an error: {\"error\":{\"code\":1}}");

    let key = "k".repeat(100_000);
    let words = error::<BTreeMap<String, u8>>(format!("data: {{\"{key}\":[]}}\n\n")).to_string();
    let expected = format!(
        "cannot read the data of a `message` event as JSON: {}: invalid type: sequence, expected u8 at line 1 column 100004; \
         the data is `{{\"{}...`",
        &key[..200],
        &key[..198]
    );
    assert_eq!(words, expected);
    let words = error::<u8>(format!("event: {key}\ndata: x\n\n")).to_string();
    assert!(words.starts_with("cannot read") && words.len() < 300, "{}", words.len());

    let truncated = error::<i64>("");
    assert_eq!(truncated.to_string(), "the stream is truncated: it ended without `[DONE]`");
    let cut = error::<i64>(format!("data: [\u{1b}{}", "é".repeat(10_000))).to_string();
    let words = "; the unfinished data at its end is `[\\u{1b}";
    let words = format!("{truncated}{words}{}...`", "é".repeat(198));
    assert_eq!(cut, words);
    let failed = std::io::Error::other(Error::Transport(std::io::Error::other("reset")));
    let stream = JsonError::<std::io::Error>::from(Error::Transport(failed));
    assert_eq!(stream.to_string(), "reset");
    assert!(stream.source().is_none(), "the message would be printed twice");
}

#[test]
fn the_path_is_that_of_the_event_beside_its_value_too() {
    let body = "id: 7\ndata: {\"choices\":0}\n\n";
    let mut chunks = events(body).json::<WithEvent<Completion>>();
    let Some(Err(JsonError::Payload { path, error, event, .. })) = chunks.next() else { panic!("not a payload") };
    assert_eq!((&*path, event.last_event_id(), error.column()), ("choices", "7", 12));
}

#[derive(Debug, Deserialize)]
#[expect(dead_code, reason = "only deserialized")]
struct Completion {
    choices: Vec<Choice>,
}

#[derive(Debug, Deserialize)]
#[expect(dead_code, reason = "only deserialized")]
struct Choice {
    delta: Delta,
}

#[derive(Debug, Deserialize)]
#[expect(dead_code, reason = "only deserialized")]
struct Delta {
    content: Option<String>,
}

/// A service may have several ends. Data is not one of them if it is only a gateway's.
#[test]
fn what_is_missing_is_named() {
    let missing = |dialect: Dialect| {
        let mut values = events("data: 1\n\n").json_with::<i64>(dialect);
        assert_eq!(values.next().unwrap().unwrap(), 1);
        values.next().map(|value| value.unwrap_err().to_string().split(" without ").nth(1).unwrap().to_owned())
    };
    assert_eq!(missing(Dialect::OPENAI).unwrap(), "`[DONE]`");
    assert_eq!(missing(Dialect::ANTHROPIC).unwrap(), "`message_stop`");
    assert_eq!(missing(Dialect::COHERE).unwrap(), "`message-end` or `[DONE]`");
    assert_eq!(missing(Dialect::GEMINI), None);
    assert_eq!(missing(Dialect::ANY_MODEL), None);
    assert_eq!(missing(Dialect::GEMINI.with_end_data("END")).unwrap(), "`END`");
    let three = Dialect::new().with_end_data("END").with_end_type("stop").with_last_type("last");
    assert_eq!(missing(three.clone()).unwrap(), "`END`, `stop` or `last`");
    assert_eq!(missing(three.with_optional_end()), None);
}
