//! The size of an event, and the error in the place of an event that is larger than the limit: guarantee 5.

use crate::{
    decode_routes,
    naive::{self, ANYWHERE, Eof, Event, Item, Options, Outcome},
};
use eventwire::{BlockItem, BlockItemRef, DecodeError, Decoder};
use std::time::Duration;

/// An item and the number of bytes after which it is returned: an event's data, or `too large`.
type Row<'a> = (usize, &'a str);

/// Checks every route: unsplit, byte by byte and split in two at every place. Every event, and the decoder after the
/// stream, must have the ID `id`.
#[track_caller]
fn check_with(stream: &[u8], limit: usize, eof: Eof, rows: &[Row<'_>], id: &str) {
    let item = |text: &str| match text {
        "too large" => Item::EventTooLarge,
        data => {
            let (event_type, data, id) = ("message".to_owned(), data.to_owned(), Some(id.to_owned()));
            Item::Event(Event { event_type, data, id, retry: None })
        }
    };
    let items = rows.iter().map(|(taken, text)| (*taken, item(text))).collect();
    let options = Options { last_event_id: "seed", max_event_size: limit, eof, ..Options::default() };
    let ignored = naive::interpret(stream, &options).ignored;
    let expected = Outcome { items, last_event_id: id.to_owned(), reconnection_time: None, ignored };
    decode_routes::check(&[stream], &options, &expected);
    decode_routes::check(&stream.chunks(1).collect::<Vec<_>>(), &options, &expected);
    for place in 0..=stream.len() {
        let (head, tail) = stream.split_at(place);
        decode_routes::check(&[head, b"", tail], &options, &expected);
    }
}

#[track_caller]
fn check(stream: &[u8], limit: usize, rows: &[Row<'_>]) {
    for eof in [Eof::Discard, Eof::Dispatch, Eof::Error] {
        check_with(stream, limit, eof, rows, "seed");
    }
}

#[test]
fn to_the_byte() {
    check(b"data: abc\n\ndata: d\n\n", 10, &[(11, "abc"), (20, "d")]);
    check(b"data: abc\n\ndata: d\n\n", 9, &[(ANYWHERE, "too large"), (20, "d")]); // the line end
    check(b"data: abc\n\ndata: d\n\n", 8, &[(ANYWHERE, "too large"), (20, "d")]); // the last byte of the value
    check(b"data: abc\n\ndata\n\n", 6, &[(ANYWHERE, "too large"), (17, "")]);
    check(b"data: abc\n\ndata\n\n", 5, &[(ANYWHERE, "too large"), (17, "")]); // the space
    check(b"data: abc\n\n\n\n", 4, &[(ANYWHERE, "too large")]);
    check(b"data: abc\n\n", 0, &[(ANYWHERE, "too large")]);
    check(b"data\n\ndata\n\n", 4, &[(ANYWHERE, "too large"), (ANYWHERE, "too large")]);
    check(b"data\n\n", 5, &[(6, "")]);
    check(b"datax: long\ndata\n\n", 5, &[(18, "")]);
}

#[test]
fn a_line_end_counts_as_one() {
    for stream in [&b"data: a\r\n\r\n"[..], b"data: a\r\n\n"] {
        check(stream, 8, &[(10, "a")]);
        check(stream, 7, &[(ANYWHERE, "too large")]);
    }
    check(b"data: a\r\r", 8, &[(9, "a")]);
    check(b"data: a\r\ndata: b\r\n\r\n", 16, &[(19, "a\nb")]);
    check(b"data: a\r\ndata: b\r\n\r\n", 15, &[(ANYWHERE, "too large")]);
}

#[test]
fn the_lines_of_an_event_add_up() {
    check(b"data: a\ndata: b\n\ndata: c\n\n", 16, &[(17, "a\nb"), (26, "c")]);
    check(b"data: a\ndata: b\n\ndata: c\n\n", 15, &[(ANYWHERE, "too large"), (26, "c")]);
    check(b"event: t\ndata: a\nid: 1\n: c\ndata: b\n\n", 30, &[(ANYWHERE, "too large")]);
}

#[test]
fn a_line_counts_even_if_it_has_no_effect() {
    // An ID with a NUL, and a type that a later line replaces.
    check(b"id: \0\ndata: a\n\n", 14, &[(15, "a")]);
    check(b"id: \0\ndata: a\n\n", 13, &[(ANYWHERE, "too large")]);
    check(b"event: t\nevent\ndata: a\n\n", 23, &[(24, "a")]);
    check(b"event: t\nevent\ndata: a\n\n", 22, &[(ANYWHERE, "too large")]);
    check(b"event: t\nevent: u\n\ndata\n\n", 9, &[(ANYWHERE, "too large"), (25, "")]);
}

#[test]
fn comments_and_other_lines_cost_nothing() {
    check(b": a comment\nfoo: bar\nretry: x\nfoo\n: \xFF\ndata\n: another\n\n", 5, &[(54, "")]);
    check(b": a comment\nfoo: bar\nretry: x\nfoo\n: \xFF\n\n:\n\n", 0, &[]);
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
fn the_id_of_its_block_has_no_effect() {
    check(b"id: 1\ndata: abc\n\ndata: b\n\n", 10, &[(ANYWHERE, "too large"), (26, "b")]);
    check(b"data: abc\nid: 1\n\ndata: b\n\n", 10, &[(ANYWHERE, "too large"), (26, "b")]);
    check(b"data: abcdef\nid: 1\n\ndata: b\n\n", 10, &[(ANYWHERE, "too large"), (29, "b")]);
    check(b"id: 0123456789\n\ndata: b\n\n", 10, &[(ANYWHERE, "too large"), (25, "b")]);
    // The ID of the next block has.
    check_with(
        b"id: 1\ndata: abc\n\nid: 2\n\ndata: b\n\n",
        10,
        Eof::Discard,
        &[(ANYWHERE, "too large"), (33, "b")],
        "2",
    );
}

#[test]
fn one_error_per_block() {
    let stream = b"data: a\ndata: b\ndata: c\r\nid: 1\revent: t\n: c\nfoo\ndata: abcdefghij\n\ndata: d\n\n";
    check(stream, 10, &[(ANYWHERE, "too large"), (stream.len(), "d")]);
}

#[test]
fn no_second_error_at_the_end() {
    // `check` tries all ways to handle the end.
    check(b"data: abcdef", 10, &[(ANYWHERE, "too large")]);
    check(b"data: abcdef\n", 10, &[(ANYWHERE, "too large")]);
    check(b"data: abcdef\ndata: b", 10, &[(ANYWHERE, "too large")]);
    check(b"data: abcdef\nid: 1\n", 10, &[(ANYWHERE, "too large")]);
    check(b"data: abcd\n", 10, &[(ANYWHERE, "too large")]);
}

#[test]
fn only_the_end_may_show_that_a_line_is_a_field() {
    check_with(b"data", 3, Eof::Dispatch, &[(ANYWHERE, "too large")], "seed");
    check_with(b"data", 4, Eof::Dispatch, &[(4, "")], "seed");
    check_with(b"data", 3, Eof::Discard, &[], "seed");
    check_with(b"id: 1\ndata", 9, Eof::Dispatch, &[(ANYWHERE, "too large")], "seed");
}

#[test]
fn the_next_block_is_counted_from_nothing() {
    let block = b"data: a\n\n";
    let stream = block.repeat(20);
    let rows: Vec<Row<'_>> = (1..=20).map(|number| (number * block.len(), "a")).collect();
    check(&stream, 8, &rows);
    check(
        &b"data: abc\n\ndata: a\n\n".repeat(3),
        8,
        &[(ANYWHERE, "too large"), (20, "a"), (ANYWHERE, "too large"), (40, "a"), (ANYWHERE, "too large"), (60, "a")],
    );
}

#[test]
fn broken_text_is_counted_before_its_repair() {
    // U+FFFD has three bytes, but replaces each broken byte only afterwards.
    check(b"data:\xFF\xFF\xFF\xFF\n\n", 10, &[(11, "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}")]);
    check(b"data:\xFF\xFF\xFF\xFF\n\n", 9, &[(ANYWHERE, "too large")]);
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
fn a_lowered_limit_does_not_refuse_what_has_been_read() {
    for stream in ["data: abc", "data: abc\nid: abcdef", "data: abc\nid: 1", "data: abc\n: a comment"] {
        let mut decoder = Decoder::new().with_eof(eventwire::Eof::Dispatch);
        assert_eq!(decoder.decode_block(&mut stream.as_bytes()), Ok(None));
        let mut decoder = decoder.with_max_event_size(2);
        assert_eq!(decoder.decode_block(&mut &b""[..]), Ok(None));
        let mut found = Vec::new();
        while let Some(item) = decoder.finish_block().unwrap() {
            found.push(item);
        }
        let is_event = |item: &BlockItem| matches!(item, BlockItem::Block(block) if block.data() == Some("abc"));
        assert!(found.iter().any(is_event), "{stream:?}: {found:?}");
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

/// Its end counts as one byte. The lines of the block around it do not count.
#[test]
fn a_comment_of_exactly_the_limit_is_returned() {
    for before in ["", "data\n", "id: 1\r\n", "data: xy\r"] {
        for (comment, expected) in [(": 3456789\n", (1, 0)), (": 3456789\r\n", (1, 0)), (": 34567890\n", (0, 1))] {
            let stream = [before, comment, "\n"].concat();
            for place in 0..=stream.len() {
                let (mut decoder, mut found) = (Decoder::new().with_max_event_size(10), (0, 0));
                for mut chunk in [&stream.as_bytes()[..place], &stream.as_bytes()[place..]] {
                    while let Some(item) = decoder.decode_block(&mut chunk).transpose() {
                        match item {
                            Ok(BlockItemRef::Comment(text)) => found.0 += usize::from(text == "3456789"),
                            Ok(_) => {}
                            Err(error) => found.1 += usize::from(error.is_in_comment()),
                        }
                    }
                }
                assert_eq!(found, expected, "{stream:?}, split at {place}");
            }
        }
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

/// A new limit between two lines of a block leaves the block as it is.
#[test]
fn a_limit_that_is_set_between_two_lines_drops_nothing() {
    for (before, after) in
        [("id: 7\nevent: t\ndata: 1\n", "data: 2\n\n"), ("id: 7\nevent: t\ndata: 1\ndata: 2\n", "\n")]
    {
        let mut decoder = Decoder::new();
        assert_eq!(decoder.decode(&mut before.as_bytes()), Ok(None));
        let mut decoder = decoder.with_max_event_size(100);
        let event = decoder.decode(&mut after.as_bytes()).unwrap().unwrap().to_event();
        assert_eq!((event.event_type(), event.data(), event.last_event_id()), ("t", "1\n2", "7"));
    }
}
