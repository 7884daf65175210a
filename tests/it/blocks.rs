//! Blocks contain everything that a stream means, in order: guarantee 10. `generated_streams` compares generated
//! streams with the naive twin.

use crate::{
    block_routes,
    counting_allocator::{live, measure},
    decode_routes,
    naive::{self, Eof as NaiveEof, Item, Options, Outcome, Scope},
    stream_generator::{any_cut, any_stream, cut},
};
use eventwire::{BlockItem, BlockItemRef, Comment, DecodeError, Decoder, Eof, Event, InvalidUtf8, line::Field};
use proptest::prelude::*;
use std::time::Duration;

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    /// Items that are read and written again are the same stream for every reader, however it is split.
    #[test]
    fn items_lose_nothing(stream in any_stream(), sizes in any_cut(), is_complete: bool) {
        let mut stream = stream;
        if is_complete {
            stream.extend(b"\n\n");
        }
        let written = written_again(&cut(&stream, &sizes));
        // For readers of events and of blocks: the crate and the twin.
        for scope in [Scope::Events, Scope::Blocks] {
            let options = Options { scope, ..Options::default() };
            let expected = naive::interpret(&stream, &options);
            let route = if scope == Scope::Events { decode_routes::owned } else { block_routes::borrowed };
            for read in [naive::interpret(&written, &options), route(&[&written], &options)] {
                prop_assert_eq!(items(&read), items(&expected));
                prop_assert_eq!(&read.last_event_id, &expected.last_event_id);
                // The reconnection time of a block that the end cuts off has taken effect, but is not an item.
                if is_complete {
                    prop_assert_eq!(read.reconnection_time, expected.reconnection_time);
                }
            }
        }
    }

    /// The events among the blocks are the events that `decode` returns.
    #[test]
    fn events_among_blocks_are_those_of_decode(
        stream in any_stream(),
        sizes in any_cut(),
        max_event_size in prop_oneof![Just(usize::MAX), 0..80usize],
        is_strict: bool,
    ) {
        let options = Options { max_event_size, is_strict, ..Options::default() };
        let events = decode_routes::borrowed(&cut(&stream, &sizes), &options);
        let blocks = block_routes::borrowed(&cut(&stream, &sizes), &Options { scope: Scope::Blocks, ..options });
        let of_events = |(place, item)| match item {
            Item::Block(block) => block.event.map(|event| (place, Item::Event(event))),
            Item::Comment(_) | Item::CommentTooLarge | Item::InvalidUtf8 { field: "comment", .. } => None,
            error => Some((place, error)),
        };
        let among: Vec<_> = blocks.items.into_iter().filter_map(of_events).collect();
        prop_assert_eq!(among, events.items);
        prop_assert_eq!((blocks.last_event_id, blocks.reconnection_time), (events.last_event_id, events.reconnection_time));
    }
}

fn written_again(chunks: &[&[u8]]) -> Vec<u8> {
    let (mut decoder, mut written) = (Decoder::new(), Vec::new());
    for chunk in chunks {
        let mut input = *chunk;
        while let Some(item) = decoder.decode_block(&mut input).expect("within the limit") {
            item.encode(&mut written);
        }
    }
    assert_eq!(decoder.finish_block(), Ok(None), "what the end cuts off is not an item");
    written
}

fn items(outcome: &Outcome) -> Vec<&Item> {
    outcome.items.iter().map(|(_, item)| item).collect()
}

/// Checks the items of a stream, each as it is written, by every route and split in two at every place.
#[track_caller]
fn check(stream: &str, expected: &[&str]) {
    let stream = stream.as_bytes();
    for place in 0..=stream.len() {
        let (first, second) = stream.split_at(place);
        assert_eq!(show_all(&mut Decoder::new(), &[first, second]), expected, "split at {place}");
    }
    let options = Options { scope: Scope::Blocks, ..Options::default() };
    block_routes::check(&[stream], &options, &naive::interpret(stream, &options));
}

fn show_all(decoder: &mut Decoder, chunks: &[&[u8]]) -> Vec<String> {
    let mut shown = Vec::new();
    for chunk in chunks {
        let mut input = *chunk;
        loop {
            match decoder.decode_block(&mut input) {
                Ok(Some(item)) => shown.push(show(item)),
                Ok(None) => break,
                Err(error) => shown.push(error.to_string()),
            }
        }
    }
    loop {
        match decoder.finish_block() {
            Ok(Some(item)) => shown.push(show(BlockItemRef::from(&item))),
            Ok(None) => break,
            Err(error) => shown.push(error.to_string()),
        }
    }
    shown
}

/// Returns the item as it is written, without its blank line.
fn show(item: BlockItemRef<'_>) -> String {
    let mut bytes = Vec::new();
    item.encode(&mut bytes);
    let lines = String::from_utf8(bytes).expect("repaired");
    lines.strip_suffix("\n\n").expect("at least one line").to_owned()
}

#[test]
fn items_of_a_block_without_data() {
    check("id: 7\n\n", &["id: 7"]);
    check("id\n\ndata: a\n\n", &["id: ", "data: a"]);
    check("retry: 5\n\n", &["retry: 5"]);
    check("event: heartbeat\r\n\r\n", &["event: heartbeat"]);
    check("event: message\n\n", &["event: message"]);
    check("event: t\nretry: 5\nid: 7\n\n", &["event: t\nid: 7\nretry: 5"]);
    // A field without effect yields no block.
    check("id: a\0\n\nretry: x\n\nfoo: bar\n\n\n\n", &[]);
    // The last of several fields counts, also if it is empty.
    check("id: 1\nid: 2\nretry: 1\nretry: 2\nevent: a\nevent: b\n\n", &["event: b\nid: 2\nretry: 2"]);
    check("event: t\nevent:\n\n", &["event: "]);
}

#[test]
fn with_data_there_is_one_event() {
    let stream = "event: t\nretry: 5\nid: 7\ndata: a\n\ndata: b\n\n";
    check(stream, &["event: t\nid: 7\nretry: 5\ndata: a", "data: b"]);
    check("id\ndata\n\n", &["id: \ndata: "]);
    check("event: message\ndata\n\nevent\ndata\n\n", &["event: message\ndata: ", "event: \ndata: "]);
}

#[test]
fn a_comment_is_returned_at_the_end_of_its_line() {
    check(": a\ndata: 1\n:b\ndata: 2\n:\n:  c\n\n: d", &[": a", ": b", ": ", ":  c", "data: 1\ndata: 2"]);
    let mut decoder = Decoder::new();
    let mut input = &b"data: 1\n: now\r"[..];
    assert_eq!(decoder.decode_block(&mut input), Ok(Some(BlockItemRef::Comment("now"))));
    assert!(input.is_empty());
}

/// Every block is returned with the byte that completes it.
#[test]
fn nothing_is_waited_for() {
    for (before, last) in [
        (": a", "\n"),
        (": a", "\r"),
        ("data: 1\n: a", "\n"),
        ("id: 1\n", "\n"),
        ("retry: 1\r\n", "\r"),
        ("event: t\n", "\n"),
        ("data: 1\n", "\n"),
    ] {
        let mut decoder = Decoder::new();
        assert_eq!(decoder.decode_block(&mut before.as_bytes()), Ok(None), "{before:?}");
        assert!(decoder.decode_block(&mut last.as_bytes()).unwrap().is_some(), "{before:?}, {last:?}");
    }
}

#[test]
fn a_retry_in_an_unfinished_block_takes_effect_and_is_not_an_item() {
    check("retry: 5\ndata: a", &[]);
    check("retry: 5\n", &[]);
    check("retry: 5", &[]);
    let stream = &b"id: 1\nretry: 5\ndata: a\n: c"[..];
    let with = |eof| show_all(&mut Decoder::new().with_eof(eof), &[stream]);
    assert_eq!(with(Eof::Discard), [""; 0]);
    assert_eq!(with(Eof::Error), ["the stream ended in the middle of an event"]);
    assert_eq!(with(Eof::Dispatch), [": c", "id: 1\nretry: 5\ndata: a"]);
    let with = |eof| show_all(&mut Decoder::new().with_eof(eof), &[b"retry: 5\nid: 1\nevent: t"]);
    assert_eq!(with(Eof::Dispatch), ["event: t\nid: 1\nretry: 5"]);

    let mut decoder = Decoder::new();
    assert_eq!(decoder.decode_block(&mut &b"retry: 5\n"[..]), Ok(None));
    decoder.reset();
    assert_eq!(decoder.finish_block(), Ok(None));
    assert_eq!(decoder.reconnection_time(), Some(Duration::from_millis(5)));
}

#[test]
fn a_comment_has_a_separate_limit() {
    let stream = &b"data: a\n: 1234567\n: 123456\n:1234567\ndata: b\n\n: x\n\n"[..];
    let options = Options { max_event_size: 20, scope: Scope::Blocks, ..Options::default() };
    for limit in [9, 10, 16, 20] {
        let options = Options { max_event_size: limit, ..options };
        block_routes::check(&[stream], &options, &naive::interpret(stream, &options));
        block_routes::check(&stream.chunks(1).collect::<Vec<_>>(), &options, &naive::interpret(stream, &options));
    }
    let too_large = |limit| format!("the comment is larger than the limit of {limit} bytes");
    let with = |limit| show_all(&mut Decoder::new().with_max_event_size(limit), &[stream]);
    assert_eq!(with(16)[..3], [": 1234567", ": 123456", ": 1234567"]);
    assert_eq!(with(9)[0], too_large(9));
    assert_eq!(with(9)[1], ": 123456");
    // The error is returned once, however many chunks the comment has, and the event around it is kept.
    let mut decoder = Decoder::new().with_max_event_size(18);
    let endless = std::iter::repeat_n(&b"xxxxxxxx"[..], 10);
    let chunks: Vec<&[u8]> = [&b"data: a\n:"[..]].into_iter().chain(endless).chain([&b"\ndata: b\n\n"[..]]).collect();
    assert_eq!(show_all(&mut decoder, &chunks), [&too_large(18)[..], "data: a\ndata: b"]);
}

#[test]
fn a_block_that_is_too_large_loses_neither_its_comments_nor_its_retry() {
    let mut decoder = Decoder::new().with_max_event_size(10);
    let stream = b"retry: 5\nid: 1\ndata: 1234567\n: a\nretry: 6\ndata: 1\n: b\n\ndata: 1\n\n";
    for size in [1, 2, 5, 100] {
        let chunks: Vec<&[u8]> = stream.chunks(size).collect();
        assert_eq!(
            show_all(&mut decoder, &chunks),
            ["the event is larger than the limit of 10 bytes", "retry: 5", ": a", ": b", "data: 1",]
        );
    }
}

#[test]
fn strict_utf8() {
    let strict = || Decoder::new().with_invalid_utf8(InvalidUtf8::Reject);
    let check = |stream: &[u8], field: Field, offset: usize| {
        for size in [1, 3, 100] {
            let (mut decoder, mut errors) = (strict().with_last_event_id("0").unwrap(), Vec::new());
            for mut chunk in stream.chunks(size) {
                loop {
                    match decoder.decode(&mut chunk) {
                        Ok(Some(event)) => panic!("{event:?}"),
                        Ok(None) => break,
                        Err(error) => errors.push(error),
                    }
                }
            }
            assert_eq!(decoder.finish(), Ok(None));
            match errors[..] {
                [DecodeError::InvalidUtf8(text)] => assert_eq!((text.field(), text.offset()), (field, offset)),
                _ => panic!("{errors:?}"),
            }
            assert_eq!((decoder.last_event_id(), decoder.reconnection_time()), ("0", None));
            // Decoding continues.
            assert_eq!(decoder.decode(&mut &b"id: 1\ndata: \xC3\xA9\n\n"[..]).unwrap().unwrap().id(), "1");
        }
    };
    check(b"data: ab\xFF\n\n", Field::Data, 2);
    check(b"id: 7\nretry: 5\ndata: a\ndata: b\xC3\ndata: c\n\n", Field::Data, 3);
    check(b"id: \xC3\xA9\xE2\x82\n\n", Field::Id, 2);
    check(b"event: \x80\ndata: a\n\n", Field::EventType, 0);
    check(b"data: \xFF\nid: \xFF\nevent: a\xFF\n\n", Field::EventType, 1);

    // Values without effect are not checked, nor are comments when only events are read.
    let mut decoder = strict();
    let mut input = &b"id: \xFF\nid: 1\nevent: \xFF\nevent: t\nfoo: \xFF\n: \xFF\ndata: a\n\n"[..];
    let event = decoder.decode(&mut input).unwrap().unwrap();
    assert_eq!((event.event_type(), event.id(), event.data()), ("t", "1", "a"));
    let shown = show_all(&mut strict(), &[b"data: a\n: ab\xFF\n: ok\ndata: b\n\nevent: \xFF\n\ndata: c\n\n"]);
    assert_eq!(
        shown,
        [
            "the value of a comment is not valid UTF-8 (at byte 2)",
            ": ok",
            "data: a\ndata: b",
            "the value of `event` is not valid UTF-8 (at byte 0)",
            "data: c",
        ]
    );
    // A setting that is changed in the middle of a block applies at the end of the block.
    let mut decoder = Decoder::new();
    assert!(decoder.decode(&mut &b"event: t\ndata: 1\ndata: 2\n\n"[..]).unwrap().is_some());
    let mut decoder = decoder.with_invalid_utf8(InvalidUtf8::Reject);
    assert_eq!(decoder.decode(&mut &b"\ndata: \xFF"[..]), Ok(None));
    assert!(decoder.clone().with_invalid_utf8(InvalidUtf8::Replace).decode(&mut &b"\n\n"[..]).unwrap().is_some());
    assert!(decoder.decode(&mut &b"\n\n"[..]).is_err());
    // At the end of the stream.
    let mut decoder = strict().with_eof(Eof::Dispatch);
    assert_eq!(decoder.decode(&mut &b"id: 1\ndata: \xC3"[..]), Ok(None));
    assert!(matches!(decoder.finish(), Err(DecodeError::InvalidUtf8(text)) if text.field() == Field::Data));
    assert_eq!(decoder.finish(), Ok(None));
    assert_eq!(decoder.last_event_id(), "");
}

#[test]
fn repaired_by_default() {
    check("data: \u{FFFD}\n\n", &["data: \u{FFFD}"]);
    let stream = b": a\xFF\n\nid: \xFF\nevent: \xFF\n\n: \xE2\x82\n";
    for size in [1, 100] {
        let chunks: Vec<&[u8]> = stream.chunks(size).collect();
        let expected = [": a\u{FFFD}", "event: \u{FFFD}\nid: \u{FFFD}", ": \u{FFFD}"];
        assert_eq!(show_all(&mut Decoder::new(), &chunks), expected);
    }
}

proptest! {
    /// A reader that alternates between events and blocks gets all events, and no block that is not in the stream.
    #[test]
    fn alternating_calls_invent_nothing(stream in any_stream(), sizes in any_cut(), turns in proptest::collection::vec(any::<bool>(), 1..6)) {
        let chunks = cut(&stream, &sizes);
        let (mut decoder, mut all) = (Decoder::new(), Vec::new());
        let mut input = &stream[..];
        while let Some(item) = decoder.decode_block(&mut input).unwrap() {
            all.push(item.to_item());
        }
        let (mut decoder, mut rest, mut turns) = (Decoder::new(), all.iter(), turns.iter().cycle());
        let mut events = 0;
        for mut chunk in chunks {
            loop {
                let is_there = match turns.next() {
                    Some(true) => decoder.decode_block(&mut chunk).unwrap().map(|item| {
                        events += usize::from(item.event().is_some());
                        rest.any(|other| BlockItemRef::from(other) == item)
                    }),
                    _ => decoder.decode(&mut chunk).unwrap().map(|event| {
                        events += 1;
                        rest.any(|other| BlockItemRef::from(other).event() == Some(event))
                    }),
                };
                let Some(is_there) = is_there else { break };
                prop_assert!(is_there, "not all are among {:?}", all);
            }
        }
        prop_assert_eq!(events, all.iter().filter(|item| BlockItemRef::from(*item).event().is_some()).count());
    }
}

/// Alternates between `decode` and `decode_block`. A comment is returned if `decode_block` read its beginning and its
/// end. Calls of `decode` drop blocks without data.
#[test]
fn mixed_with_decode() {
    let mut decoder = Decoder::new();
    assert_eq!(decoder.decode(&mut &b": a"[..]), Ok(None));
    assert_eq!(decoder.decode_block(&mut &b"b\n: c"[..]), Ok(None));
    assert_eq!(decoder.decode(&mut &b"d\n"[..]), Ok(None));
    assert_eq!(decoder.decode_block(&mut &b": e\n"[..]), Ok(Some(BlockItemRef::Comment("e"))));
    assert_eq!(decoder.decode_block(&mut &b": he"[..]), Ok(None));
    assert_eq!(decoder.decode(&mut &b"ll"[..]), Ok(None));
    assert_eq!(decoder.decode_block(&mut &b"o\n"[..]), Ok(None));

    let mut input = &b"id: 1\nretry: 5\n\ndata: a\n\n"[..];
    assert_eq!(show(decoder.decode_block(&mut input).unwrap().unwrap()), "id: 1\nretry: 5");
    let event = decoder.decode(&mut input).unwrap().unwrap();
    assert_eq!((event.data(), event.id()), ("a", "1"));
    assert_eq!(decoder.reconnection_time(), Some(Duration::from_millis(5)));
}

#[test]
fn memory_of_comments_is_bounded_and_given_back() {
    let before = live();
    let mut decoder = Decoder::new().with_max_event_size(100_000);
    let (errors, usage) = measure(|| {
        let endless = std::iter::repeat_n(&[b'x'; 1000][..], 10_000);
        let chunks = [&b": "[..]].into_iter().chain(endless);
        chunks.filter(|chunk| decoder.decode_block(&mut &chunk[..]).is_err()).count()
    });
    assert_eq!(errors, 1);
    assert!(usage.peak <= 300_000, "{usage:?}");
    assert_eq!(decoder.decode_block(&mut &b"\n"[..]), Ok(None));

    for chunk in [&b": "[..], &[b'x'; 90_000]] {
        assert_eq!(decoder.decode_block(&mut &chunk[..]), Ok(None));
    }
    assert!(
        matches!(decoder.decode_block(&mut &b"\n"[..]), Ok(Some(BlockItemRef::Comment(text))) if text.len() == 90_000)
    );
    assert!(live() >= before + 90_000);
    assert_eq!(decoder.decode_block(&mut &b"\n"[..]), Ok(None));
    assert_eq!(live(), before);

    // A comment that is not ended, or not by `decode_block`.
    for chunk in [&b": "[..], &[b'x'; 90_000]] {
        assert_eq!(decoder.decode_block(&mut &chunk[..]), Ok(None));
    }
    assert_eq!(decoder.decode(&mut &b"\n"[..]), Ok(None));
    assert_eq!(live(), before);
    for chunk in [&b": "[..], &[b'x'; 90_000]] {
        assert_eq!(decoder.decode_block(&mut &chunk[..]), Ok(None));
    }
    decoder.reset();
    assert_eq!(live(), before);
}

#[test]
fn nothing_allocated_in_the_steady_state() {
    let stream =
        b": comment\nid: an ID of more than 23 bytes\n\nretry: 5\n\nevent: a type of more than 23 bytes\n\nid: 2\nevent: u\ndata: a\n: inside\ndata: b\n\ndata: c\n\n";
    for size in [1, 7, 200] {
        let mut decoder = Decoder::new();
        let mut round = || {
            let mut blocks = 0;
            for mut chunk in stream.chunks(size) {
                while decoder.decode_block(&mut chunk).unwrap().is_some() {
                    blocks += 1;
                }
            }
            blocks
        };
        assert_eq!(round(), 7);
        let (blocks, usage) = measure(round);
        assert_eq!((blocks, usage.allocations), (7, 0), "{usage:?}");
    }
}

/// A client of the Model Context Protocol sets its initial last event ID by a block that contains nothing else, and
/// limits the size of events.
#[test]
fn rmcps_needs() {
    let mut decoder = Decoder::new().with_max_event_size(1000);
    let mut input = &b"id: 1f3a/0\nretry: 3000\n\nevent: message\nid: 1f3a/1\ndata: {\"jsonrpc\":\"2.0\"}\n\n"[..];
    assert_eq!(show(decoder.decode_block(&mut input).unwrap().unwrap()), "id: 1f3a/0\nretry: 3000");
    assert_eq!(decoder.last_event_id(), "1f3a/0");
    let block = decoder.decode_block(&mut input).unwrap().unwrap();
    assert_eq!(show(block), "event: message\nid: 1f3a/1\ndata: {\"jsonrpc\":\"2.0\"}");
    let hostile = [&b"data: "[..], &[b'x'; 2000], b"\n\n"].concat();
    assert!(matches!(decoder.decode_block(&mut &hostile[..]), Err(DecodeError::EventTooLarge { limit: 1000, .. })));
}

/// A LaunchDarkly client returns comments to its users as they arrive, in order with the events.
#[test]
fn launchdarklys_needs() {
    check(
        ":hello\n\nevent: put\ndata: {}\n\n:\n\n: still here\ndata: 1\n\n",
        &[": hello", "event: put\ndata: {}", ": ", ": still here", "data: 1"],
    );
}

/// A client of many services inspects each block, to distinguish a heartbeat without data from silence.
#[test]
fn genais_needs() {
    check(
        "event: heartbeat\n\nevent: message_start\ndata: {}\n\nevent: ping\n\ndata: [DONE]\n\n",
        &["event: heartbeat", "event: message_start\ndata: {}", "event: ping", "data: [DONE]"],
    );
}

#[test]
fn blocks_can_be_stored_and_compared() {
    let mut decoder = Decoder::new();
    let mut input = &b": c\nid: 1\ndata: a\n\ndata: a\n\n"[..];
    let comment = decoder.decode_block(&mut input).unwrap().unwrap().to_item();
    assert_eq!(comment, BlockItem::Comment(Comment::new("c")));
    let with_id = decoder.decode_block(&mut input).unwrap().unwrap().to_item();
    assert_eq!(with_id, BlockItem::Block(Event::new("a").with_id("1").unwrap().into()));
    let inherits = decoder.decode_block(&mut input).unwrap().unwrap().to_item();
    // They are the same event, but not the same block.
    let [with_id, inherits] = [&with_id, &inherits].map(BlockItemRef::from);
    assert_eq!(with_id.event(), inherits.event());
    assert_ne!(with_id, inherits);
}

#[test]
fn the_end_is_handled_as_by_the_twin() {
    for eof in [NaiveEof::Discard, NaiveEof::Dispatch, NaiveEof::Error] {
        for stream in [
            ": a",
            "retry: 1\n:",
            "id: 1",
            "event: t\nid: 2\n",
            "data: x\nretry: 2\n: c",
            "data: 123456789\nretry: 1\n: c",
        ] {
            let options = Options { eof, max_event_size: 12, scope: Scope::Blocks, ..Options::default() };
            let expected = naive::interpret(stream.as_bytes(), &options);
            block_routes::check(&[stream.as_bytes()], &options, &expected);
            block_routes::check(&stream.as_bytes().chunks(1).collect::<Vec<_>>(), &options, &expected);
        }
    }
}
