//! Generated streams of JSON yield the same values however they are split.

use super::word;
use crate::{always_ready, law, stream_generator::cut};
use bytes::Bytes;
use eventwire::{Dialect, Event, Events};
use futures_util::{StreamExt, stream};
use serde_json::{Value, json};
use std::convert::Infallible;

#[test]
fn any_split_yields_the_same_values() {
    law::check(256, |random| {
        let [required, by_type, reports] = [random.coin(), random.coin(), random.coin()];
        let script = random.list(12, |random| (random.one_of(TYPES), random.one_of(PAYLOADS)));
        let dialect = dialect(required, by_type, reports);
        let mut stream = Vec::new();
        let mut expected: Vec<String> = Vec::new();
        let mut has_ended = false;
        for (event_type, data) in script {
            Event::new(data).with_event_type(event_type).unwrap().encode(&mut stream);
            if !has_ended {
                let (item, is_end) = meaning(event_type, data, by_type, reports);
                expected.extend(item);
                has_ended = is_end;
            }
        }
        if required && !has_ended {
            expected.push("truncated".to_owned());
        }
        let chunks: Vec<_> = cut(&stream, &random.cut()).into_iter().map(Bytes::copy_from_slice).collect();
        let chunks = || chunks.clone().into_iter().map(Ok::<_, Infallible>);
        let values = Events::new(chunks()).json_with::<Value>(dialect.clone());
        assert_eq!(values.map(word).collect::<Vec<_>>(), expected);
        let values = Events::new(stream::iter(chunks())).json_with::<Value>(dialect);
        assert_eq!(always_ready::run(values.map(word).collect::<Vec<_>>()), expected);
    });
}

/// Each type with each payload, before another event.
#[test]
fn every_event() {
    for number in 0..8 {
        let [required, by_type, reports] = [1, 2, 4].map(|bit| number & bit != 0);
        for (event_type, data) in TYPES.iter().flat_map(|name| PAYLOADS.iter().map(move |data| (*name, *data))) {
            let events = [Event::new(data).with_event_type(event_type).unwrap(), Event::new("1")];
            let (item, has_ended) = meaning(event_type, data, by_type, reports);
            let mut expected = Vec::from_iter(item);
            if !has_ended {
                expected.push("Number(1)".to_owned());
                expected.extend(required.then(|| "truncated".to_owned()));
            }
            let chunks = events.map(|event| Ok::<_, Infallible>(event.to_bytes()));
            let mut values = Events::new(chunks.into_iter()).json_with::<Value>(dialect(required, by_type, reports));
            assert_eq!(values.by_ref().map(word).collect::<Vec<_>>(), expected, "{event_type}: {data}");
            assert_eq!(values.into_inner().into_inner().len(), usize::from(has_ended), "{event_type}: {data}");
        }
    }
}

/// The dialect that `meaning` describes.
fn dialect(is_end_required: bool, by_type: bool, reports: bool) -> Dialect {
    let mut dialect = Dialect::new().with_end_data("[DONE]");
    for name in ["ping", "keepalive"] {
        dialect = dialect.with_keep_alive_type(name);
    }
    if !is_end_required {
        dialect = dialect.with_optional_end();
    }
    if by_type {
        dialect = dialect.with_end_type("stop").with_last_type("last").with_last_type("a/b");
        dialect = dialect.with_keep_alive_type("beat");
    }
    if reports { dialect.with_error_reports() } else { dialect }
}

const TYPES: &[&str] = &["message", "message", "message", "ping", "keepalive", "beat", "error", "stop", "last", "x"];

#[rustfmt::skip]
const PAYLOADS: &[&str] = &[
    "1", "2", " 3 ", "-4", "", " ", "\n", "\t", "\u{A0}", "\u{C}1", "x", "null", "[1]", "{}", "{\"error\":1}",
    "{\"error\":null}", "{ \"error\" : {} }", "{\"error\":\"\"}", "{\"error\":{\"a\":1}}",
    "{\"code\":1,\"message\":\"m\"}", "{\"a\":{\"error\":1}}", "{\"\\u0065rror\":1}", "{\"error\":1", "\"error\"",
    "\"\\u00e9\"", "{\"type\":\"error\"}", "{\"t\\u0079pe\":\"err\\u006fr\",\"n\":0}", "{\"a\":{\"type\":\"error\"}}",
    "{\"type\":\"stop\"}", "{\"type\":\"stop\",\"error\":1}", "{ \"n\": [{\"type\":\"last\"}], \"type\" : \"last\" }",
    "{\"type\":\"la\\u0073t\",\"error\":1}", "{\"type\":\"a\\/b\"}", "{\"type\":\"a/b\"",
    "{\"a\":{\"type\":\"stop\"}}", "{\"type\":\"ping\"}", "{\"type\":\"beat\"}", "{\"type\":\"ping\",\"error\":1}",
    "[DONE]", " [DONE] \t", "\n[DONE]\n", "\u{A0}[DONE]", "[done]", "[DONE", "\"[DONE]\"", "[DONE].", "[ DONE ]",
    "[DONE][DONE]", "[\n1\n]", "1.5", "99999999999999999999",
];

/// Returns the item that a typed stream makes of an event, computed as simply as possible, and whether the event ends
/// the stream.
fn meaning(event_type: &str, data: &str, by_type: bool, reports: bool) -> (Option<String>, bool) {
    let value: Result<Value, _> = serde_json::from_str(data);
    let inner = value.as_ref().ok().and_then(|value| value.get("type")?.as_str()).unwrap_or("message");
    let told = if event_type == "message" { inner } else { event_type };
    if data.trim_ascii() == "[DONE]" || (by_type && told == "stop") {
        return (None, true);
    }
    let is_last = by_type && matches!(told, "last" | "a/b");
    let nothing = [Value::Null, Value::Bool(false), json!(0), json!(""), json!([]), json!({})];
    let has_error = value.as_ref().is_ok_and(|value| value.get("error").is_some_and(|error| !nothing.contains(error)));
    let is_keep_alive = |name| matches!(name, "ping" | "keepalive") || (by_type && name == "beat");
    let item = if reports && event_type == "error" {
        Some(format!("reported: {data}"))
    } else if is_keep_alive(event_type) || data.trim_ascii().is_empty() {
        None
    } else if reports && (has_error || told == "error") {
        Some(format!("reported: {data}"))
    } else if is_keep_alive(told) {
        None
    } else {
        Some(value.map_or(format!("payload: {data}"), |value| format!("{value:?}")))
    };
    (item, is_last)
}
