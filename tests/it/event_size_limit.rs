//! The size of an event, and the error in the place of an event that is larger than the limit: guarantee 5.
//! `generated_streams` compares every route with the naive twin, with limits of all sizes. The examples here are written
//! by hand, because the twin could misunderstand the rule as well.

use crate::{
    decode_routes,
    naive::{self, ANYWHERE, Eof, Event, Item, Options, Scope},
};
use eventwire::{DecodeError, Decoder};
use std::time::Duration;

/// An item and the number of bytes after which it is returned: an event's data, or `too large`.
type Row<'a> = (usize, &'a str);

const LARGE: Row<'_> = (ANYWHERE, "too large");

/// Checks the items. Every event, and the decoder after the stream, must have the ID `id`.
#[track_caller]
fn check(stream: &[u8], limit: usize, eof: Eof, rows: &[Row<'_>], id: &str) {
    let item = |text: &str| match text {
        "too large" => Item::EventTooLarge,
        data => {
            let (event_type, data, id) = ("message".to_owned(), data.to_owned(), Some(id.to_owned()));
            Item::Event(Event { event_type, data, id, retry: None })
        }
    };
    let items: Vec<_> = rows.iter().map(|(taken, text)| (*taken, item(text))).collect();
    let options = Options { last_event_id: "seed", max_event_size: limit, eof, ..Options::default() };
    let expected = naive::interpret(stream, &options);
    assert_eq!((&expected.items, &*expected.last_event_id), (&items, id), "{options:?}, {}", stream.escape_ascii());
    decode_routes::check(&[stream], &options, &expected);
    decode_routes::check(&stream.chunks(1).collect::<Vec<_>>(), &options, &expected);
}

/// Streams with a limit, and what they yield with each way to handle the end.
#[rustfmt::skip]
const STREAMS: &[(&[u8], usize, &[Row<'_>])] = &[
    // To the byte.
    (b"data: abc\n\ndata: d\n\n", 10, &[(11, "abc"), (20, "d")]),
    (b"data: abc\n\ndata: d\n\n", 9, &[LARGE, (20, "d")]), // the line end
    (b"data: abc\n\ndata: d\n\n", 8, &[LARGE, (20, "d")]), // the last byte of the value
    (b"data: abc\n\ndata\n\n", 6, &[LARGE, (17, "")]),
    (b"data: abc\n\ndata\n\n", 5, &[LARGE, (17, "")]), // the space
    (b"data: abc\n\n\n\n", 4, &[LARGE]),
    (b"data: abc\n\n", 0, &[LARGE]),
    (b"data\n\ndata\n\n", 4, &[LARGE, LARGE]),
    (b"data\n\n", 5, &[(6, "")]),
    (b"datax: long\ndata\n\n", 5, &[(18, "")]),
    // A line end counts as one.
    (b"data: a\r\n\r\n", 8, &[(10, "a")]),
    (b"data: a\r\n\r\n", 7, &[LARGE]),
    (b"data: a\r\n\n", 7, &[LARGE]),
    (b"data: a\r\r", 8, &[(9, "a")]),
    (b"data: a\r\ndata: b\r\n\r\n", 16, &[(19, "a\nb")]),
    (b"data: a\r\ndata: b\r\n\r\n", 15, &[LARGE]),
    // The lines of an event add up.
    (b"data: a\ndata: b\n\ndata: c\n\n", 16, &[(17, "a\nb"), (26, "c")]),
    (b"data: a\ndata: b\n\ndata: c\n\n", 15, &[LARGE, (26, "c")]),
    (b"event: t\ndata: a\nid: 1\n: c\ndata: b\n\n", 30, &[LARGE]),
    // A line counts even if it has no effect: an ID with a NUL, and a type that a later line replaces.
    (b"id: \0\ndata: a\n\n", 14, &[(15, "a")]),
    (b"id: \0\ndata: a\n\n", 13, &[LARGE]),
    (b"event: t\nevent\ndata: a\n\n", 23, &[(24, "a")]),
    (b"event: t\nevent\ndata: a\n\n", 22, &[LARGE]),
    // Comments and other lines cost nothing.
    (b": a comment\nfoo: bar\nretry: x\nfoo\n: \xFF\ndata\n: another\n\n", 5, &[(54, "")]),
    (b": a comment\nfoo: bar\nretry: x\nfoo\n: \xFF\n\n:\n\n", 0, &[]),
    // The ID of a block that is too large has no effect.
    (b"id: 1\ndata: abc\n\ndata: b\n\n", 10, &[LARGE, (26, "b")]),
    (b"data: abcdef\nid: 1\n\ndata: b\n\n", 10, &[LARGE, (29, "b")]),
    (b"id: 0123456789\n\ndata: b\n\n", 10, &[LARGE, (25, "b")]),
    // One error for a block.
    (b"data: a\ndata: b\ndata: c\r\nid: 1\revent: t\n: c\nfoo\ndata: abcdefghij\n\ndata: d\n\n", 10, &[LARGE, (75, "d")]),
    // No second one at the end.
    (b"data: abcdef", 10, &[LARGE]),
    (b"data: abcdef\ndata: b", 10, &[LARGE]),
    (b"data: abcdef\nid: 1\n", 10, &[LARGE]),
    // The next block is counted from nothing.
    (b"data: abc\n\ndata: a\n\ndata: abc\n\ndata: a\n\n", 8, &[LARGE, (20, "a"), LARGE, (40, "a")]),
    // U+FFFD has three bytes, but replaces each broken byte only afterwards.
    (b"data:\xFF\xFF\xFF\xFF\n\n", 10, &[(11, "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}")]),
    (b"data:\xFF\xFF\xFF\xFF\n\n", 9, &[LARGE]),
];

#[test]
fn what_counts() {
    for (stream, limit, rows) in STREAMS {
        for eof in [Eof::Discard, Eof::Dispatch, Eof::Error] {
            check(stream, *limit, eof, rows, "seed");
        }
    }
    // The next block's ID has an effect.
    check(b"id: 1\ndata: abc\n\nid: 2\n\ndata: b\n\n", 10, Eof::Discard, &[LARGE, (33, "b")], "2");
    // Only the end may show that a line is a field.
    check(b"data", 3, Eof::Dispatch, &[LARGE], "seed");
    check(b"data", 4, Eof::Dispatch, &[(4, "")], "seed");
    check(b"data", 3, Eof::Discard, &[], "seed");
    check(b"id: 1\ndata", 9, Eof::Dispatch, &[LARGE], "seed");
}

#[test]
fn a_comment_of_any_length_costs_nothing() {
    static PIECE: [u8; 1 << 16] = [b'x'; 1 << 16];
    for begin in [&b":"[..], b"an unknown field: ", b"retry: "] {
        let mut decoder = Decoder::new().with_max_event_size(10);
        assert_eq!(decoder.decode(&mut &b"data: 1\n"[..]), Ok(None));
        assert_eq!(decoder.decode(&mut &begin[..]), Ok(None));
        let (_, usage) = crate::counting_allocator::measure(|| {
            for _ in 0..160 {
                assert_eq!(decoder.decode(&mut &PIECE[..]), Ok(None));
            }
        });
        assert_eq!(usage.allocations, 0, "it is never stored");
        assert_eq!(decoder.decode(&mut &b"\n\n"[..]).unwrap().unwrap().data(), "1");
    }
    let whole = [&b":"[..], &vec![b'x'; 10 << 20], b"\ndata: 1\n\n"].concat();
    let mut decoder = Decoder::new().with_max_event_size(10);
    assert_eq!(decoder.decode(&mut &whole[..]).unwrap().unwrap().data(), "1");
}

#[test]
fn a_retry_counts_before_the_limit_and_not_after() {
    for size in [1, 2, 3, 5, 100] {
        let mut decoder = Decoder::new().with_max_event_size(10);
        let mut errors = 0;
        let mut feed = |stream: &[u8]| {
            for mut chunk in stream.chunks(size) {
                while !chunk.is_empty() {
                    errors += usize::from(decoder.decode(&mut chunk).is_err());
                }
            }
            decoder.reconnection_time()
        };
        assert_eq!(feed(b"retry: 1\ndata: abcdef\n"), Some(Duration::from_millis(1)), "chunks of {size}");
        assert_eq!(feed(b"retry: 2\n\n"), Some(Duration::from_millis(1)), "chunks of {size}");
        assert_eq!(feed(b"retry: 3\n"), Some(Duration::from_millis(3)), "chunks of {size}");
        assert_eq!(errors, 1);
    }
}

#[test]
fn the_limit_may_be_lowered_in_the_middle_of_an_event() {
    // The first byte beyond the new limit is then the next one that counts.
    for (begin, next) in [
        ("data: 1234567", "8"),
        ("data: 1234567", "\n"),
        ("data: 1234567\n", "data:"),
        ("data: 12345\n: c", "c\ndata:"),
    ] {
        let mut decoder = Decoder::new();
        assert_eq!(decoder.decode(&mut begin.as_bytes()), Ok(None));
        let mut decoder = decoder.with_max_event_size(5);
        let stream = format!("{next}more\n\ndata\n\n");
        let mut input = stream.as_bytes();
        assert!(
            matches!(decoder.decode(&mut input), Err(DecodeError::EventTooLarge { limit: 5, .. })),
            "{begin:?}, {next:?}"
        );
        assert_eq!(decoder.decode(&mut input).unwrap().unwrap().data(), "", "{begin:?}, {next:?}");
    }
}

/// Its end counts as one byte.
#[test]
fn a_comment_of_exactly_the_limit_is_returned() {
    for (stream, expected) in
        [(&b": 3456789\r\n"[..], Item::Comment("3456789".to_owned())), (b": 34567890\n", Item::CommentTooLarge)]
    {
        let options = Options { scope: Scope::Blocks, max_event_size: 10, ..Options::default() };
        let outcome = naive::interpret(stream, &options);
        assert_eq!(outcome.items[0].1, expected);
        decode_routes::check(&[stream], &options, &outcome);
    }
}

#[test]
fn the_default_is_16_mib() {
    let begin = b"data:";
    let fill = (16 << 20) - begin.len() - 1;
    let stream = [&begin[..], &vec![b'x'; fill], b"\n\n"].concat();
    assert_eq!(Decoder::new().decode(&mut &stream[..]).unwrap().unwrap().data().len(), fill);
    let stream = [&begin[..], &vec![b'x'; fill + 1], b"\n\n"].concat();
    let mut input = &stream[..];
    assert!(matches!(Decoder::new().decode(&mut input), Err(DecodeError::EventTooLarge { limit: 16_777_216, .. })));
}
