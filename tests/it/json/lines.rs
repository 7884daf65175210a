//! Lines of JSON, however the stream is split, as a stream and as an iterator.

use crate::{
    always_ready,
    counting_allocator::{live, measure},
    fixture_folder, law,
    scripted_source::Failure,
    stream_generator::cut,
};
use bytes::Bytes;
use eventwire::{
    DecodeError, Decoder, Dialect, Error, Events, EventsExt, JsonError, Utf8Policy, WithEvent, line::Field,
};
use futures_util::{StreamExt, stream};
use serde_json::Value;
use std::{convert::Infallible, fs, future, mem, time::Duration};

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// An item as a short text. A number of a line comes first.
fn word<E: std::error::Error + 'static>(item: Result<WithEvent<Value>, JsonError<E>>) -> String {
    match item {
        Ok(WithEvent { value, event }) => {
            assert_eq!(value, serde_json::from_str::<Value>(event.data()).unwrap());
            assert_eq!((event.event_type(), event.has_id(), event.retry()), ("message", false, None));
            event.data().to_owned()
        }
        Err(JsonError::Stream(Error::Line { line, error: DecodeError::EventTooLarge { .. }, .. })) => {
            format!("{line} is too long")
        }
        Err(JsonError::Stream(Error::Transport(failure))) => failure.to_string(),
        Err(JsonError::Payload { line, event, .. }) => format!("{} is no JSON: {}", line.unwrap(), event.data()),
        Err(JsonError::Truncated { line, unfinished, expected, .. }) => {
            assert_eq!(&*expected, "");
            format!("{} is unfinished: {unfinished}", line.unwrap())
        }
        Err(other) => panic!("an unexpected error: {other:?}"),
    }
}

/// The items of a stream, slow and obvious. The last line has no end.
fn naive(stream: &[u8], limit: usize, has_ended: bool) -> Vec<String> {
    let (mut items, mut rest) = (Vec::new(), stream);
    for number in 1_u64.. {
        let end = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
        let line = &rest[..end.unwrap_or(rest.len())];
        let text = String::from_utf8_lossy(line.strip_prefix(BYTE_ORDER_MARK).filter(|_| number == 1).unwrap_or(line));
        let is_json = serde_json::from_str::<Value>(&text).is_ok();
        let is_blank = text.trim_ascii().is_empty();
        match end {
            _ if line.len() > limit => items.push(format!("{number} is too long")),
            None if !has_ended || is_blank => {}
            _ if is_blank => {}
            _ if is_json => items.push(text.into_owned()),
            Some(_) => items.push(format!("{number} is no JSON: {text}")),
            None => items.push(format!("{number} is unfinished: {text}")),
        }
        let Some(end) = end else { break };
        rest = &rest[end + if rest[end..].starts_with(b"\r\n") { 2 } else { 1 }..];
    }
    items
}

/// Checks a stream in these chunks, of which one may be a failure.
#[track_caller]
fn check(chunks: &[Result<&[u8], Failure>], limit: usize) {
    let mut bytes = Vec::new();
    let mut failures = Vec::new();
    for chunk in chunks {
        match chunk {
            Ok(chunk) => bytes.extend_from_slice(chunk),
            Err(failure) => failures.push((naive(&bytes, limit, false).len(), failure)),
        }
    }
    // What is unfinished after a failure is dropped.
    let mut expected = naive(&bytes, limit, matches!(chunks.last(), None | Some(Ok(_))));
    for (at, failure) in failures.into_iter().rev() {
        expected.insert(at, failure.to_string());
    }
    let decoder = Decoder::new().with_max_event_size(limit);
    let chunks = || chunks.iter().cloned().map(|chunk| chunk.map(Bytes::copy_from_slice)).collect::<Vec<_>>();
    let mut values = Events::new(chunks().into_iter()).with_decoder(decoder.clone()).json_lines();
    assert_eq!(values.by_ref().map(word).collect::<Vec<_>>(), expected, "{}, {limit}", bytes.escape_ascii());
    assert!(values.next().is_none());
    let values = Events::new(stream::iter(chunks())).with_decoder(decoder).json_lines();
    assert_eq!(always_ready::run(values.map(word).collect::<Vec<_>>()), expected, "{}", bytes.escape_ascii());
}

#[track_caller]
fn check_every_cut(stream: &[u8], limit: usize) {
    for second in 0..=stream.len() {
        for first in 0..=second {
            check(&[Ok(&stream[..first]), Ok(&stream[first..second]), Ok(&stream[second..])], limit);
        }
        let (before, after) = stream.split_at(second);
        check(&[Ok(before), Err(Failure("failed")), Ok(after)], limit);
        check(&[Ok(before), Err(Failure("failed"))], limit);
    }
    check(&stream.chunks(1).map(Ok).collect::<Vec<_>>(), limit);
}

#[test]
fn every_split() {
    for stream in [
        &b"{\"a\":1}\r\n\r\n[2]\n\r3\r\rx\n4"[..],
        b"\xEF\xBB\xBF\"\xE2\x82\xAC\"\r\n\xEF\xBB\xBF1\n\"\xE2\x82\"\n{\"a\":\"\xE2\x82",
        b"\xEF\xBB\xBF\n \t\n{\"a\"",
        b"123456\r\n1234567\r\n12345678901\n1\n 123456789",
        b"\xEF\xBB\xBF",
        b"\xEF\xBB",
        b"{\n}\n",
        b"",
    ] {
        for limit in [0, 1, 5, 6, 7, 9, usize::MAX] {
            check_every_cut(stream, limit);
        }
    }
}

#[test]
fn any_split() {
    const PARTS: &[&str] = &[
        "\n",
        "\n",
        "\r",
        "\r\n",
        "\r\n",
        "1",
        "-2.5",
        "{\"a\":1}",
        "[",
        "]",
        "\"\u{E9}\u{20AC}\u{1F600}\"",
        " ",
        "\t",
        "x",
        "\"0123456789012345678901234567890123456789012345678901234567890123456789\"",
        "\0",
        "\u{1E}",
        "\u{FEFF}",
        "data: 1",
    ];
    law::check(500, |random| {
        let mut stream: Vec<u8> = if random.coin() { BYTE_ORDER_MARK.into() } else { Vec::new() };
        for part in random.list(30, |random| random.one_of(PARTS)) {
            stream.extend_from_slice(part.as_bytes());
        }
        // Some bytes are lost, and with them parts of characters.
        for _ in 0..random.below(3) {
            if !stream.is_empty() {
                let at = random.below(stream.len());
                stream.remove(at);
            }
        }
        let limit = if random.coin() { random.below(40) } else { usize::MAX };
        let sizes = random.cut();
        let mut chunks: Vec<_> = cut(&stream, &sizes).into_iter().map(Ok).collect();
        if random.coin() {
            let at = random.below(chunks.len() + 1);
            chunks.insert(at, Err(Failure("failed")));
        }
        check(&chunks, limit);
    });
}

/// The values of a body in one chunk, and the messages of the errors.
fn lines(body: &'static str, dialect: Dialect) -> Vec<String> {
    let values = Events::new([Ok::<_, Infallible>(body)].into_iter()).json_lines_with::<Value>(dialect);
    values.map(|item| item.map_or_else(|error| error.to_string(), |value| value.to_string())).collect()
}

#[test]
fn each_error_says_its_line() {
    let decoder = Decoder::new().with_max_event_size(20);
    let body = "1\r\n\r\nnot JSON\n{\"a\":[\"too long a line\"]}\n{\"a\":";
    let values = Events::new([Ok::<_, Infallible>(body)].into_iter()).with_decoder(decoder).json_lines::<Value>();
    let messages: Vec<_> = values.map(|item| item.map_or_else(|error| error.to_string(), |_| String::new())).collect();
    assert_eq!(
        messages,
        [
            "",
            "cannot read line 3, column 2, as JSON: expected ident; the line is `not JSON`",
            "line 4 is longer than the limit of 20 bytes",
            "the stream is truncated: it ended inside line 5, which is `{\"a\":`",
        ]
    );
    let reports = Dialect::new().with_error_reports();
    assert_eq!(
        lines("\n{\"error\":\"no\"}\n{\"error\":{\"a\":1}}\n", reports),
        ["the server reported an error in line 2: no", "the server reported an error in line 3: {\"error\":{\"a\":1}}",]
    );
    // A last line that is complete JSON, but of another type.
    let mut numbers = Events::new([Ok::<_, Infallible>("1\n\"2\"")].into_iter()).json_lines::<u32>();
    assert_eq!(numbers.next().unwrap().unwrap(), 1);
    assert!(matches!(numbers.next(), Some(Err(JsonError::Payload { line: Some(2), .. }))));
    assert!(numbers.next().is_none());
    // serde_json reports a map at its beginning as column 0.
    let mut numbers = Events::new([Ok::<_, Infallible>("\n{}\n")].into_iter()).json_lines::<i64>();
    let message = numbers.next().unwrap().unwrap_err().to_string();
    assert_eq!(message, "cannot read line 2 as JSON: invalid type: map, expected i64; the line is `{}`");
}

#[test]
fn an_unfinished_line_is_quoted_in_part() {
    let body = format!("[{}", "7,".repeat(5000));
    let mut values = Events::new([Ok::<_, Infallible>(body)].into_iter()).json_lines::<Value>();
    let Some(Err(JsonError::Truncated { unfinished, line: Some(1), .. })) = values.next() else { panic!() };
    assert_eq!(unfinished.len(), 1000);
    assert!(values.next().is_none());
}

#[test]
fn an_end_is_required_and_a_mark_needs_no_line_end() {
    let done = || Dialect::new().with_end_data("END").with_last_type("last");
    assert_eq!(lines("1\nEND\n2\n", done()), ["1"]);
    assert_eq!(lines("1\nEND", done()), ["1"]);
    assert_eq!(lines("{\"type\":\"last\"}\n2\n", done()), ["{\"type\":\"last\"}"]);
    assert_eq!(lines("1\n", done()), ["1", "the stream is truncated: it ended without `END` or `last`"]);
    assert_eq!(
        lines("1\n{", done()),
        ["1", "the stream is truncated: it ended inside line 2, which is `{`, and without `END` or `last`",]
    );
    assert_eq!(
        lines("1\n{", done().with_optional_end()),
        ["1", "the stream is truncated: it ended inside line 2, which is `{`",]
    );
}

#[test]
fn the_other_format_is_named() {
    for line in ["data: 1", ": hello", "event: a", "id: 1", "retry: 1", "data:{}"] {
        let message = lines(Box::leak(format!("{line}\n\n").into_boxed_str()), Dialect::new()).remove(0);
        let expected = "cannot read line 1 as JSON: it is a line of an event stream, which `.json()` reads instead of \
                        `.json_lines()`; the line is `";
        assert_eq!(message, format!("{expected}{line}`"));
    }
    for (body, hint) in [("{\"a\":1}\n{}", "; it looks like JSON lines"), ("{\"error\":1}\n", ""), ("{\n}", "")] {
        let mut values = Events::new([Ok::<_, Infallible>(body)].into_iter()).json::<Value>();
        let message = values.next().unwrap().unwrap_err().to_string();
        let text = body.trim_end().replace('\n', "\\n");
        assert_eq!(message, format!("received text that is not an event stream: `{text}`{hint}"));
    }
}

#[test]
fn strict_utf8_ends_the_stream() {
    let decoder = Decoder::new().with_utf8_policy(Utf8Policy::Stop);
    for chunks in
        [&[&b"1\n\"caf\xE9\"\n2\n"[..], b"3\n"][..], &[b"1\n\"ca", b"f\xE9\"\n2\n", b"3\n"], &[b"1\n\"caf\xE9"]]
    {
        let chunks = chunks.iter().copied().map(Ok::<_, Infallible>);
        let mut values = Events::new(chunks).with_decoder(decoder.clone()).json_lines::<Value>();
        assert_eq!(values.next().unwrap().unwrap(), 1);
        let error = values.next().unwrap().unwrap_err();
        assert_eq!(error.to_string(), "line 2 is not valid UTF-8 (at byte 4)");
        let JsonError::Stream(Error::Line { line: 2, error: DecodeError::InvalidUtf8(line), .. }) = error else {
            panic!("{error}")
        };
        assert_eq!((line.field(), line.offset()), (Field::Other, 4));
        assert!(values.next().is_none());
    }
}

#[test]
fn timeouts() {
    let body = stream::iter([Ok::<_, Infallible>("1\n{\"a\"")]).chain(stream::pending());
    let timer = |_: Duration| future::ready(());
    let mut values = body.events().with_idle_timeout(Duration::from_secs(1), timer).json_lines::<Value>();
    assert_eq!(always_ready::run(values.next()).unwrap().unwrap(), 1);
    let error = always_ready::run(values.next()).unwrap().unwrap_err();
    assert_eq!(error.to_string(), "no data received for 1s");
    assert!(always_ready::run(values.next()).is_none());
}

#[test]
fn chunks_and_readers() {
    let chunks = || ["{\"a\"", ":1}\n2"].map(Ok::<_, Infallible>);
    let values = stream::iter(chunks()).json_lines::<Value>().map(Result::unwrap).collect::<Vec<_>>();
    assert_eq!(always_ready::run(values), [serde_json::json!({ "a": 1 }), 2.into()]);
    let values = stream::iter(chunks()).json_lines_with::<Value>(Dialect::new().with_end_data("2"));
    assert_eq!(always_ready::run(values.collect::<Vec<_>>()).len(), 1);
    let values = Events::from_reader(&b"1\n2\n"[..]).json_lines::<u32>();
    assert_eq!(values.map(Result::unwrap).sum::<u32>(), 3);
    let mut values = Events::new(["1\n", "2\n"].map(Ok::<_, Infallible>).into_iter()).json_lines::<u32>();
    assert_eq!(values.next().unwrap().unwrap(), 1);
    assert_eq!(values.get_ref().get_ref().len(), 1);
    assert_eq!(values.into_inner().into_inner().next(), Some(Ok("2\n")));
}

/// A long line is a slice of its chunk, or takes over the memory in which it was put together.
#[test]
fn long_lines_are_not_copied() {
    let line = format!("\"{}\"", "x".repeat(100));
    let chunk = Bytes::from(format!("{line}\n{line}\r\n"));
    let mut values = Events::new([Ok::<_, Infallible>(chunk.clone())].into_iter()).json_lines::<WithEvent<String>>();
    for begin in [0, line.len() + 1] {
        let event = values.next().unwrap().unwrap().event;
        assert!(std::ptr::eq(event.data(), str::from_utf8(&chunk[begin..begin + line.len()]).unwrap()));
    }
}

/// The streams of services, in every cut.
#[test]
fn each_service() {
    const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/json/lines");
    let names = fixture_folder::names(FOLDER, ".ndjson");
    assert!(names.len() >= 8, "{names:?}");
    for name in names {
        let stream = fs::read(format!("{FOLDER}/{name}.ndjson")).unwrap();
        let expected: Value = serde_json::from_slice(&fs::read(format!("{FOLDER}/{name}.json")).unwrap()).unwrap();
        let dialect = match expected["dialect"].as_str().unwrap() {
            "OLLAMA" => Dialect::OLLAMA,
            "errors" => Dialect::new().with_error_reports(),
            "new" => Dialect::new(),
            other => panic!("no dialect {other}"),
        };
        let cuts = (0..=stream.len()).step_by(if cfg!(miri) { 50 } else { 1 });
        let cuts = cuts.map(|at| [&stream[..at], &stream[at..]].to_vec());
        for chunks in cuts.chain([stream.chunks(1).collect()]) {
            let chunks = || chunks.iter().map(|chunk| Ok::<_, Infallible>(Bytes::copy_from_slice(chunk)));
            let item = |item: Result<Value, JsonError<_>>| match item {
                Ok(value) => serde_json::json!({ "value": value }),
                Err(error) => serde_json::json!({ "error": error.to_string() }),
            };
            let found: Vec<_> = Events::new(chunks()).json_lines_with(dialect.clone()).map(item).collect();
            assert_eq!(&found, expected["items"].as_array().unwrap(), "{name}");
            let values = stream::iter(chunks()).json_lines_with(dialect.clone()).map(item);
            assert_eq!(always_ready::run(values.collect::<Vec<_>>()), found, "{name}");
        }
    }
}

/// `done` also ends a stream of events, in which a gateway may send these objects.
#[test]
fn done_in_events() {
    let body = "event: chat\ndata: {\"done\":false}\n\ndata: {\"done\":true,\"n\":1}\n\ndata: {}\n\n";
    let values = Events::new([Ok::<_, Infallible>(body)].into_iter()).json_with::<Value>(Dialect::OLLAMA);
    assert_eq!(values.map(Result::unwrap).last().unwrap()["n"], 1);
    let body = "{\"done\":true,\"error\":\"no\"}\n{}\n";
    let mut values = Events::new([Ok::<_, Infallible>(body)].into_iter()).json_lines_with::<Value>(Dialect::OLLAMA);
    assert!(matches!(values.next(), Some(Err(JsonError::Reported { line: Some(1), .. }))));
    assert!(values.next().is_none());
}

/// As an event, a line in one chunk needs no memory of its own, and a longer one is copied at most twice.
#[test]
fn allocations() {
    let chunk = Bytes::from_static(b"1\r\n\r\n[2]\n\n{\"a\":\"a line of more than twenty-three bytes\"}\n3\n");
    let mut lines = Events::new([Ok::<_, Infallible>(chunk)].into_iter()).json_lines::<serde::de::IgnoredAny>();
    let (count, usage) = measure(|| lines.by_ref().map(Result::unwrap).count());
    assert_eq!((count, usage.allocations), (4, 0));

    const LEN: usize = 2 << 20;
    for size in [7, 1460] {
        let stream = Bytes::from(format!("\"{}\"\n", "x".repeat(LEN)));
        let chunks = (0..stream.len()).step_by(size).map(|at| stream.slice(at..stream.len().min(at + size)));
        let chunks = chunks.map(Ok::<_, Infallible>);
        let mut lines = Events::new(chunks).json_lines::<WithEvent<serde::de::IgnoredAny>>();
        let (event, usage) = measure(|| lines.next().unwrap().unwrap().event);
        assert_eq!(event.data().len(), LEN + 2);
        // The buffer doubles, and gives back what it does not need.
        assert!(usage.allocated < 6 * LEN as u64 && usage.allocations < 50, "{usage:?}");
        drop(event);
        assert!(lines.next().is_none());
    }
}

/// With a larger error, every poll of a stream would move more.
#[test]
fn the_number_of_a_line_makes_no_error_larger() {
    assert!(mem::size_of::<Error<Infallible>>() <= 24);
}

/// The beginning of a line that is too long is not kept.
#[test]
fn the_memory_of_a_line_that_is_too_long_is_released() {
    let chunk = Bytes::from_static(&[b'x'; 1000]);
    let chunks = (0..1000).map(move |_| Ok::<_, Infallible>(chunk.clone())).chain([Ok(Bytes::from_static(b"\n1\n"))]);
    let decoder = Decoder::new().with_max_event_size(500_000);
    let mut values = Events::new(chunks).with_decoder(decoder).json_lines::<u32>();
    let before = live();
    assert!(matches!(values.next(), Some(Err(JsonError::Stream(Error::Line { line: 1, .. })))));
    assert!(live() < before + 1000);
    assert_eq!(values.next().unwrap().unwrap(), 1);
}
