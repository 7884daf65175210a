//! Where a stream of JSON ends, and when it counts as truncated.

use super::{check, lenient, numbers, strict};
use crate::scripted_source::Answer::{Chunk, Failure};
use eventwire::{Decoder, Dialect, Eof};

/// `any_cut` has what is a marker and what only looks like one.
#[test]
fn done_ends_the_stream_at_once() {
    // The source has more chunks, but is not polled for them.
    let more = [Chunk("data: 1\n\ndata: [DONE]\n\ndata: 2\n\n"), Chunk("data: 3\n\n"), Failure("reset")];
    for dialect in [lenient(), strict()] {
        check::<i64>(&more, &Decoder::new(), &dialect, &["1"], 1);
    }
}

#[test]
fn a_marker_is_added() {
    numbers("data: 1\n\ndata: END\n\ndata: 2\n\n", &lenient().with_end_data(" END "), &["1"]);
    numbers("data: END\n\nevent: END\ndata\n\n", &lenient().with_end_type("END"), &["payload: END"]);
    // No type is the default type.
    for event_type in ["", "message"] {
        let dialect = strict().with_end_type(event_type);
        check::<i64>(&[Chunk("data: 1\n\n")], &Decoder::new(), &dialect, &[], 1);
        let dialect = strict().with_last_type(event_type);
        check::<i64>(&[Chunk("data: 1\n\ndata: 2\n\n")], &Decoder::new(), &dialect, &["1"], 1);
    }
    // A marker takes precedence over everything else that an event may be.
    numbers("event: error\ndata: END\n\ndata: 1\n\n", &lenient().with_end_data("END"), &[]);
    numbers("event: ping\ndata: END\n\ndata: 1\n\n", &lenient().with_end_type("ping"), &[]);
}

#[test]
fn several_kinds_of_end_at_once() {
    let all = strict().with_end_data("END").with_end_data("FIN").with_end_type("stop").with_last_type("last");
    for (end, items) in [
        ("data: [DONE]\n\n", &["1"][..]),
        ("data: END\n\n", &["1"]),
        ("data: FIN\n\n", &["1"]),
        ("event: last\ndata: 9\n\n", &["1", "9"]),
        ("data: {\ndata: \"type\":\ndata: \"last\"}\n\n", &["1", "payload: {\n\"type\":\n\"last\"}"]),
    ] {
        let stream = format!("data: 1\n\n{end}data: 2\n\n").leak();
        check::<i64>(&[Chunk(stream)], &Decoder::new(), &all, items, 1);
    }
}

#[test]
fn a_marker_precedes_a_last_item_in_any_order_of_settings() {
    let last = |dialect: Dialect| dialect.with_last_type("done").with_last_type("END");
    let by_data = |dialect: Dialect| dialect.with_end_data("END");
    let by_type = |dialect: Dialect| dialect.with_end_type("done");
    for dialect in [
        by_type(last(by_data(lenient()))),
        last(by_type(by_data(lenient()))),
        by_type(by_data(last(lenient()))),
        by_data(by_type(last(lenient()))),
        last(by_data(by_type(lenient()))),
        by_data(last(by_type(lenient()))),
    ] {
        for end in [
            "event: done\ndata: END",
            "event: END\ndata: END",
            "event: done\ndata: 1",
            "data: {\"type\":\"done\"}",
            "data: {\"type\":\"END\",\"type\":\"done\"}",
            "event: done\ndata: [DONE]",
        ] {
            let stream = format!("{end}\n\ndata: 1\n\n").leak();
            check::<i64>(&[Chunk(stream)], &Decoder::new(), &dialect, &[], 1);
        }
    }
}

#[test]
fn a_truncated_stream_is_an_error() {
    numbers("data: 1\n\n", &strict(), &["1", "truncated"]);
    numbers("", &strict(), &["truncated"]);
    numbers("data: 1\n\ndata: [DONE]", &strict(), &["1", "truncated"]);
    let dispatches = Decoder::new().with_eof(Eof::Dispatch);
    check::<i64>(&[Chunk("data: 1\n\ndata: [DONE]")], &dispatches, &strict(), &["1"], 2);
    // After any other errors, the last item reports the truncated stream.
    let reports = Decoder::new().with_eof(Eof::Error);
    let items = ["1", "cut off", "truncated"];
    check::<i64>(&[Chunk("data: 1\n\ndata: [DO")], &reports, &strict(), &items, 2);
    let reset = [Chunk("data: 1\n\nda"), Failure("reset")];
    check::<i64>(&reset, &reports, &strict(), &["1", "failure: reset", "truncated"], 3);
    check::<i64>(&reset, &reports, &lenient(), &["1", "failure: reset"], 3);
    // A dialect without an end has none that could be missing.
    numbers("data: 1\n\n", &Dialect::new(), &["1"]);
}
