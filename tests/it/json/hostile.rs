//! Payloads of a hostile server: each takes time and stack in proportion to its length at most.

use super::events;
use eventwire::{Dialect, JsonError};
use serde::de::IgnoredAny;

const LEVELS: usize = if cfg!(miri) { 100 } else { 10_000 };
const MEMBERS: usize = if cfg!(miri) { 100 } else { 2000 };

/// Reads this data in each dialect, with an `event` line and without one, and returns the messages of reported errors.
fn messages(data: &str) -> Vec<Box<str>> {
    let dialects = [
        Dialect::new().with_error_reports(),
        Dialect::ANTHROPIC,
        Dialect::ANY_MODEL,
        Dialect::COHERE,
        Dialect::GEMINI,
        Dialect::OPENAI,
        Dialect::OPENAI_RESPONSES,
    ];
    let mut messages = Vec::new();
    for dialect in dialects {
        for event in ["", "event: error\n"] {
            let mut values = events(format!("{event}data: {data}\n\n")).json_with::<IgnoredAny>(dialect.clone());
            match values.next() {
                Some(Err(JsonError::Reported { message, .. })) => messages.push(message),
                Some(Ok(_)) => {}
                other => panic!("{other:?}"),
            }
        }
    }
    messages
}

#[test]
fn many_levels() {
    for (open, close) in [
        ("[", "]"),
        ("{\"error\":", "}"),
        ("[{\"error\":", "}]"),
        ("{\"message\":", "}"),
        ("{\"delta\":", "}"),
        ("{\"choices\":[", "]}"),
        ("{\"type\":\"error\",\"finish_reason\":\"ERROR\",\"choices\":[{\"delta\":", "}]}"),
    ] {
        let data = format!("{}\"deepest\"{}", open.repeat(LEVELS), close.repeat(LEVELS));
        let messages = messages(&data);
        // At least those of the type `error`. The words are too deep.
        assert!(messages.len() >= 7, "{open}");
        assert!(messages.iter().all(|message| **message == *data), "{open}");
    }
}

#[test]
fn many_members() {
    for (begin, member, end) in [
        ("{", "\"error\":{\"choices\":[{}]},", "\"n\":1}"),
        ("{", "\"choices\":[{\"finish_reason\":\"\\n\"}],\"delta\":{},", "\"error\":[0]}"),
        ("{\"choices\":[", "{\"finish_reason\":\"\\n\",\"delta\":{\"error\":[]}},", "0],\"error\":[0]}"),
        ("[", "{\"error\":[0]},", "1]"),
    ] {
        let data = format!("{begin}{}{end}", member.repeat(MEMBERS));
        let messages = messages(&data);
        assert!(messages.len() >= 7, "{begin}{member}");
        assert!(messages.iter().all(|message| **message == *data), "{begin}{member}");
    }
}
