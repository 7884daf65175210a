//! Where a stream of JSON ends, and when it counts as truncated.

use super::{
    Setting::{EndEventType, EndMarker, LastEventTypes, RequireEndMarker, WithoutEndMarker},
    check, numbers,
};
use crate::scripted_source::Answer::{Chunk, Failure};
use eventwire::{Decoder, Eof};
use serde_json::Value;

#[test]
fn done_ends_the_stream_at_once() {
    // The source has more chunks, but is not polled for them.
    let more = [Chunk("data: 1\n\ndata: [DONE]\n\ndata: 2\n\n"), Chunk("data: 3\n\n"), Failure("reset")];
    check::<i64>(&more, &Decoder::new(), &[], &["1"], 1);
    check::<i64>(&more, &Decoder::new(), &[RequireEndMarker], &["1"], 1);
    for marker in
        ["data:[DONE]\n\n", "data:  [DONE] \t\n\n", "data: \ndata: [DONE]\ndata:\n\n", "event: t\rdata: [DONE]\r\r"]
    {
        check::<i64>(&[Chunk(marker), Chunk("data: 1\n\n")], &Decoder::new(), &[RequireEndMarker], &[], 1);
    }
    // Similar texts are not the marker.
    for data in ["[done]", "[DONE", "\"[DONE]\"", "[DONE].", "[ DONE ]", "[DONE][DONE]"] {
        let stream = format!("data: {data}\n\n");
        let item = if data == "\"[DONE]\"" { "String(\"[DONE]\")".to_owned() } else { format!("payload: {data}") };
        check::<Value>(&[Chunk(stream.leak())], &Decoder::new(), &[RequireEndMarker], &[&item, "truncated"], 2);
    }
}

#[test]
fn a_marker_is_added() {
    numbers("data: 1\n\ndata: END\n\ndata: 2\n\n", &[EndMarker("END")], &["1"]);
    numbers("data: 1\n\ndata: END\n\ndata: 2\n\n", &[EndMarker(" END ")], &["1"]);
    numbers("data: 1\n\nevent: END\ndata: {}\n\ndata: 2\n\n", &[EndEventType("END")], &["1"]);
    numbers("data: 1\n\nevent: END\ndata\n\ndata: 2\n\n", &[EndEventType("END"), RequireEndMarker], &["1"]);
    numbers("data: END\n\nevent: END\ndata\n\n", &[EndEventType("END")], &["payload: END"]);
    // No type is the default type.
    for event_type in ["", "message"] {
        check::<i64>(&[Chunk("data: 1\n\n")], &Decoder::new(), &[EndEventType(event_type), RequireEndMarker], &[], 1);
        let last = LastEventTypes(if event_type.is_empty() { &[""] } else { &["message"] });
        check::<i64>(&[Chunk("data: 1\n\ndata: 2\n\n")], &Decoder::new(), &[last, RequireEndMarker], &["1"], 1);
    }
    // A marker takes precedence over everything else that an event may be.
    numbers("event: error\ndata: END\n\ndata: 1\n\n", &[EndMarker("END")], &[]);
    numbers("event: ping\ndata: END\n\ndata: 1\n\n", &[EndEventType("ping")], &[]);
}

#[test]
fn several_kinds_of_end_at_once() {
    let all = [EndMarker("END"), EndMarker("FIN"), EndEventType("stop"), LastEventTypes(&["last"]), RequireEndMarker];
    for (end, items) in [
        ("data: [DONE]\n\n", &["1"][..]),
        ("data: END\n\n", &["1"]),
        ("data: FIN\n\n", &["1"]),
        ("event: stop\ndata: 9\n\n", &["1"]),
        ("event: last\ndata: 9\n\n", &["1", "9"]),
        ("event: ping\ndata: 9\n\n", &["1", "2", "truncated"]),
    ] {
        let stream = format!("data: 1\n\n{end}data: 2\n\n").leak();
        check::<i64>(&[Chunk(stream)], &Decoder::new(), &all, items, if items.len() == 3 { 2 } else { 1 });
    }
}

#[test]
fn the_default_is_replaced() {
    let done = "data: [DONE]\n\ndata: 2\n\n";
    let ended = "event: END\ndata: 1\n\ndata: END\n\ndata: 2\n\n";
    numbers(done, &[WithoutEndMarker, EndMarker("END")], &["payload: [DONE]", "2"]);
    numbers(ended, &[WithoutEndMarker, EndMarker("END")], &["1"]);
    numbers(ended, &[WithoutEndMarker, EndEventType("END")], &[]);
    numbers(done, &[WithoutEndMarker, LastEventTypes(&["END"])], &["payload: [DONE]", "2"]);
    let again = [WithoutEndMarker, EndMarker("[DONE]"), RequireEndMarker];
    check::<i64>(&[Chunk(done)], &Decoder::new(), &again, &[], 1);
    // Previous settings are replaced as well.
    numbers(done, &[EndMarker("2"), EndEventType("message"), WithoutEndMarker], &["payload: [DONE]", "2"]);
}

#[test]
fn a_last_event_is_an_item() {
    let last = LastEventTypes(&["END", "FAIL-END"]);
    numbers("data: 1\n\nevent: END\ndata: 2\n\ndata: 3\n\n", &[last, RequireEndMarker], &["1", "2"]);
    numbers("event: FAIL-END\ndata: 2\n\ndata: 3\n\n", &[last], &["2"]);
    numbers("event: END\ndata: x\n\ndata: 3\n\n", &[last], &["payload: x"]);
    numbers("event: END\ndata\n\ndata: 3\n\n", &[last], &[]);
    numbers("event: END\ndata: {\"error\":1}\n\ndata: 3\n\n", &[last], &["reported: {\"error\":1}"]);
    numbers("data: 1\n\ndata: [DONE]\n\n", &[WithoutEndMarker, last], &["1", "payload: [DONE]"]);
    check::<i64>(&[Chunk("data: 1\n\n")], &Decoder::new(), &[last, RequireEndMarker], &["1", "truncated"], 2);
}

#[test]
fn a_marker_precedes_a_last_item_in_any_order_of_settings() {
    let (last, by_type) = (LastEventTypes(&["done", "END"]), EndEventType("done"));
    let settings = [WithoutEndMarker, EndMarker("END"), last, by_type];
    for order in [[1, 2, 3], [1, 3, 2], [2, 1, 3], [2, 3, 1], [3, 1, 2], [3, 2, 1]] {
        let settings = [0, order[0], order[1], order[2]].map(|at: usize| settings[at]);
        numbers("event: done\ndata: END\n\ndata: 1\n\n", &settings, &[]);
        numbers("event: END\ndata: END\n\ndata: 1\n\n", &settings, &[]);
        check::<Value>(&[Chunk("event: done\ndata: 1\n\ndata: 1\n\n")], &Decoder::new(), &settings, &[], 1);
        let by_json = "data: {\"type\":\"done\"}\n\ndata: 1\n\n";
        check::<Value>(&[Chunk(by_json)], &Decoder::new(), &settings, &[], 1);
        let twice = "data: {\"type\":\"END\",\"type\":\"done\"}\n\ndata: 1\n\n";
        check::<Value>(&[Chunk(twice)], &Decoder::new(), &settings, &[], 1);
    }
    // So does the default marker.
    let done = [Chunk("event: done\ndata: [DONE]\n\ndata: 1\n\n")];
    check::<i64>(&done, &Decoder::new(), &[last], &[], 1);
    check::<i64>(&done, &Decoder::new(), &[WithoutEndMarker, last, EndMarker("[DONE]")], &[], 1);
}

#[test]
fn no_marker_at_all() {
    numbers("data: 1\n\ndata: [DONE]\n\ndata: 2\n\n", &[WithoutEndMarker], &["1", "payload: [DONE]", "2"]);
    // Without an end marker, none can be missing.
    numbers("data: 1\n\n", &[RequireEndMarker, WithoutEndMarker], &["1"]);
    numbers("data: 1\n\n", &[WithoutEndMarker, RequireEndMarker], &["1"]);
    numbers("data: 1\n\n", &[WithoutEndMarker, RequireEndMarker, EndMarker("x")], &["1", "truncated"]);
}

#[test]
fn a_truncated_stream_is_an_error() {
    numbers("data: 1\n\n", &[RequireEndMarker], &["1", "truncated"]);
    numbers("", &[RequireEndMarker], &["truncated"]);
    numbers("data: 1\n\ndata: [DONE]", &[RequireEndMarker], &["1", "truncated"]);
    let lenient = Decoder::new().with_eof(Eof::Dispatch);
    check::<i64>(&[Chunk("data: 1\n\ndata: [DONE]")], &lenient, &[RequireEndMarker], &["1"], 2);
    // After any other errors, the last item reports the truncated stream.
    let strict = Decoder::new().with_eof(Eof::Error);
    let items = ["1", "cut off", "truncated"];
    check::<i64>(&[Chunk("data: 1\n\ndata: [DO")], &strict, &[RequireEndMarker], &items, 2);
    let reset = [Chunk("data: 1\n\nda"), Failure("reset")];
    check::<i64>(&reset, &strict, &[RequireEndMarker], &["1", "failure: reset", "truncated"], 3);
    check::<i64>(&reset, &strict, &[], &["1", "failure: reset"], 3);
}
