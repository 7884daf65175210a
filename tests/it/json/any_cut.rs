//! Generated streams of JSON give the same values in any cut.

use super::{Setting::RequireEndMarker, set, word};
use crate::stream_generator::{any_cut, cut};
use bytes::Bytes;
use eventwire::{Event, EventStream, Events};
use futures_util::{FutureExt, StreamExt, stream};
use proptest::{collection::vec, prelude::*, sample::select};
use serde_json::Value;
use std::convert::Infallible;

proptest! {
    #[test]
    fn any_cut_the_same_values(
        script in vec((select(&["message", "message", "ping", "error", "x"][..]), select(PAYLOADS)), 0..12),
        sizes in any_cut(),
        required in any::<bool>(),
    ) {
        let settings = if required { &[RequireEndMarker][..] } else { &[] };
        let mut stream = Vec::new();
        let mut expected: Vec<String> = Vec::new();
        let mut has_ended = false;
        for (event_type, data) in script {
            Event::new(data).with_event_type(event_type).unwrap().encode(&mut stream);
            match meaning(event_type, data) {
                _ if has_ended => {}
                Some(end) if end == "end" => has_ended = true,
                item => expected.extend(item),
            }
        }
        if required && !has_ended {
            expected.push("truncated".to_owned());
        }
        let chunks = cut(&stream, &sizes);
        let chunks = || chunks.iter().map(|chunk| Ok::<_, Infallible>(Bytes::copy_from_slice(chunk)));
        let values = set!(Events::new(chunks()).json::<i64>(), settings);
        prop_assert_eq!(values.map(word).collect::<Vec<_>>(), expected.clone());
        let values = set!(EventStream::new(stream::iter(chunks())).json::<i64>(), settings);
        let items = values.map(word).collect::<Vec<_>>().now_or_never().expect("the source is always ready");
        prop_assert_eq!(items, expected);
    }
}

const PAYLOADS: &[&str] = &[
    "1",
    "2",
    " 3 ",
    "-4",
    "",
    " ",
    "x",
    "null",
    "[1]",
    "{}",
    "{\"error\":1}",
    "{\"error\":null}",
    "{ \"error\" : {} }",
    "{\"a\":{\"error\":1}}",
    "{\"\\u0065rror\":1}",
    "{\"error\":1",
    "\"error\"",
    "\"\\u00e9\"",
    "[DONE]",
    "1.5",
    "99999999999999999999",
];

/// What an event of this type with this data is to a stream of numbers, said as slowly as can be.
fn meaning(event_type: &str, data: &str) -> Option<String> {
    let value: Result<Value, _> = serde_json::from_str(data);
    if data.trim_ascii() == "[DONE]" {
        Some("end".to_owned())
    } else if event_type == "error" {
        Some(format!("reported: {data}"))
    } else if event_type == "ping" || data.trim_ascii().is_empty() {
        None
    } else if value.as_ref().is_ok_and(|value| value.get("error").is_some_and(|error| !error.is_null())) {
        Some(format!("reported: {data}"))
    } else {
        Some(
            value.ok().and_then(|value| value.as_i64()).map_or(format!("payload: {data}"), |number| number.to_string()),
        )
    }
}
