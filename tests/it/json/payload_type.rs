//! Ends and errors that only the `type` in the JSON shows.

use super::{
    Setting::{self, EndEventType, LastEventTypes, RequireEndMarker, WithoutErrorReports},
    check,
};
use crate::scripted_source::Answer::Chunk;
use eventwire::Decoder;
use serde::Deserialize;

/// An object of a Responses stream.
#[derive(Deserialize)]
#[serde(tag = "type")]
enum Part {
    #[serde(rename = "response.output_text.delta")]
    Delta { delta: String },
    #[serde(rename = "response.completed")]
    Completed { response: Usage },
    #[serde(rename = "error")]
    Error { message: String },
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct Usage {
    tokens: u64,
}

impl std::fmt::Debug for Part {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Part::Delta { delta } => write!(f, "delta {delta}"),
            Part::Completed { response } => write!(f, "completed {}", response.tokens),
            Part::Error { message } => write!(f, "error {message}"),
            Part::Other => f.write_str("other"),
        }
    }
}

/// For the Responses API without its `event` lines.
const LAST: Setting = LastEventTypes(&["response.completed", "response.failed"]);

#[track_caller]
fn parts(stream: &str, settings: &[Setting], expected: &[&str], asked: usize) {
    check::<Part>(&[Chunk(stream.to_owned().leak())], &Decoder::new(), settings, expected, asked);
}

#[test]
fn a_stream_without_event_lines_ends_at_its_last_object() {
    let delta = "data: {\"type\":\"response.output_text.delta\",\"delta\":\"a\"}\n\n";
    for completed in [
        "data: {\"type\":\"response.completed\",\"response\":{\"tokens\":3}}\n\n",
        "data: {\"response\":{\"type\":\"x\",\"tokens\":3} , \"type\" : \"response.completed\"}\n\n",
        "data: {\"type\":\"response\\u002ecompleted\",\"response\":{\"tokens\":3}}\n\n",
        "data: {\"\\u0074ype\":\"response.completed\",\"response\":{\"tokens\":3}}\n\n",
        "data: {\ndata: \"type\":\ndata: \"response.completed\",\"response\":{\"tokens\":3}}\n\n",
        "event: message\ndata: {\"type\":\"response.completed\",\"response\":{\"tokens\":3}}\n\n",
        "event: response.completed\ndata: {\"type\":\"response.completed\",\"response\":{\"tokens\":3}}\n\n",
    ] {
        let stream = format!("{delta}{completed}{delta}");
        parts(&stream, &[LAST, RequireEndMarker], &["delta a", "completed 3"], 1);
        // Without the setting, a type does not end the stream.
        parts(&stream, &[], &["delta a", "completed 3", "delta a"], 2);
    }
}

#[test]
fn only_the_top_level_counts() {
    for data in [
        r#"{"type":"x","response":{"type":"response.completed"}}"#,
        r#"{"type":"x","delta":"\"type\":\"response.completed\""}"#,
        r#"{"type":"x","items":["type","response.completed",{"type":"stop"}]}"#,
        r#"{"type":"x","types":"response.completed"}"#,
    ] {
        let stream = format!("data: {data}\n\n");
        let settings = [LAST, EndEventType("stop"), RequireEndMarker];
        parts(&stream, &settings, &["other", "truncated"], 2);
    }
    // A payload that is not JSON has no type.
    let cut = "data: {\"type\":\"response.completed\"\n\n";
    parts(cut, &[LAST, RequireEndMarker], &["payload: {\"type\":\"response.completed\"", "truncated"], 2);
}

#[test]
fn a_marker_by_its_type_is_not_an_item() {
    let stream = "data: {\"type\":\"x\"}\n\ndata: {\"type\":\"message_stop\"}\n\ndata: {\"type\":\"x\"}\n\n";
    parts(stream, &[EndEventType("message_stop"), RequireEndMarker], &["other"], 1);
    let stream = "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\ndata: {\"type\":\"x\"}\n\n";
    parts(stream, &[EndEventType("message_stop"), RequireEndMarker], &[], 1);
    // The check for a marker comes before the check for an error.
    let stream = "data: {\"type\":\"message_stop\",\"error\":1}\n\n";
    parts(stream, &[EndEventType("message_stop"), RequireEndMarker], &[], 1);
}

#[test]
fn the_event_line_takes_precedence() {
    let settings = [EndEventType("done"), LAST, RequireEndMarker];
    let stream =
        "event: job\ndata: {\"type\":\"done\"}\n\nevent: job\ndata: {\"type\":\"error\",\"message\":\"m\"}\n\n";
    parts(stream, &settings, &["other", "error m", "truncated"], 2);
    // This also applies if the object is read for its `error`.
    let stream = "event: job\ndata: {\"type\":\"done\",\"error\":null}\n\n\
                  event: job\ndata: {\"type\":\"response.failed\",\"error\":1}\n\n";
    let failed = "reported: {\"type\":\"response.failed\",\"error\":1}";
    parts(stream, &settings, &["other", failed, "truncated"], 2);
}

#[test]
fn an_error_by_its_type_is_reported() {
    let error = r#"{"type":"error","code":"server_error","message":"overloaded","param":null}"#;
    let stream = format!("data: {error}\n\ndata: {{\"type\":\"x\"}}\n\n");
    parts(&stream, &[], &[&format!("reported: {error}"), "other"], 2);
    parts(&stream, &[LAST], &[&format!("reported: {error}"), "other"], 2);
    parts(&stream, &[WithoutErrorReports], &["error overloaded", "other"], 2);
    for spelled in [r#"{"type":"\u0065rror"}"#, r#"{"t\u0079pe":"error"}"#, r#"{"a":[{}], "type" :"error"}"#] {
        parts(&format!("data: {spelled}\n\n"), &[], &[&format!("reported: {spelled}")], 2);
    }
    for value in [r#"{"type":"x","part":{"type":"error"}}"#, r#"{"type":"errors"}"#, r#"{"type":"x","text":"error"}"#] {
        parts(&format!("data: {value}\n\n"), &[], &["other"], 2);
    }
    // A failure that ends the stream and is also an error.
    let failed = r#"{"type":"response.failed","error":{"code":"rate_limit"}}"#;
    parts(
        &format!("data: {failed}\n\ndata: {{}}\n\n"),
        &[LAST, RequireEndMarker],
        &[&format!("reported: {failed}")],
        1,
    );
}
