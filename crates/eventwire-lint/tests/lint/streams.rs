//! Streams that contain what a server gets wrong, between what is right.

use proptest::prelude::*;

/// Lines and their ends, in any order: right ones, wrong ones, and any bytes.
pub(crate) fn stream() -> impl Strategy<Value = Vec<u8>> {
    let right = prop::sample::select(vec![
        "data: one",
        "data:two",
        "data",
        "data: {\"a\":\"\\n\"}",
        "data: [\"",
        "event: price",
        "id: 7",
        "id",
        "retry: 3000",
        ": ping",
        ":",
        "",
        "",
        "",
    ]);
    let wrong = prop::sample::select(vec![
        "second line of text",
        "Data: 1",
        "data : 1",
        " data: 1",
        "ID: 2",
        "title: x",
        " ",
        "\u{FEFF}data: 1",
        "\u{FEFF}",
        "id: \0",
        "retry: soon",
        "retry:",
        "retry: 1.5",
        "event: message",
        "event:",
        "event: message2",
        "data: a\\nb",
        "data: a\\",
        "{\"error\": 1}",
        ": \\n",
        "data :",
        "retry: 99999999999999999999",
        "<p>",
    ]);
    let text = prop_oneof![
        4 => right.prop_map(|text| text.as_bytes().to_vec()),
        3 => wrong.prop_map(|text| text.as_bytes().to_vec()),
        1 => "(data|id|retry|event|x)(: |:|)\\PC{0,80}".prop_map(String::into_bytes),
        1 => "(data|id|retry):[0-9\\\\n\u{0}é{]{0,120}".prop_map(String::into_bytes),
        1 => prop::collection::vec(any::<u8>(), 0..12),
    ];
    let end = prop::sample::select(vec!["\n", "\n", "\n", "\r\n", "\r", "\n\n", "\r\n\r\n", "n", ""]);
    let line = (text, end).prop_map(|(text, end)| [&text, end.as_bytes()].concat());
    let lines = prop::collection::vec(line, 0..25).prop_map(|lines| lines.concat());
    (prop::bool::weighted(0.2), lines)
        .prop_map(|(mark, lines)| if mark { [b"\xEF\xBB\xBF", &lines[..]].concat() } else { lines })
}
