//! Blocks contain everything that a stream means, in order: guarantee 10. `generated_streams` compares generated
//! streams with the naive twin.

use crate::{
    block_routes,
    counting_allocator::{live, measure},
    decode_routes,
    naive::{self, Eof as NaiveEof, Item, Options, Outcome, Scope},
    stream_generator::{any_cut, any_stream, cut},
};
use eventwire::{Block, BlockRef, Comment, DecodeError, Decoder, Eof, Event, InvalidUtf8, line::Field};
use proptest::prelude::*;
use std::time::Duration;

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    /// Blocks that are read and encoded again are the same stream for every reader, however it is split.
    #[test]
    fn blocks_lose_nothing(stream in any_stream(), sizes in any_cut()) {
        let chunks = cut(&stream, &sizes);
        let written = written_again(&chunks, |block| block.encode_to_vec());
        let options = Options::default();
        // For readers of events: the crate and the twin.
        let expected = meaning(&naive::interpret(&stream, &options));
        prop_assert_eq!(&meaning(&naive::interpret(&written, &options)), &expected);
        prop_assert_eq!(&meaning(&decode_routes::owned(&[&written], &options)), &expected);
        // For readers of all blocks.
        let options = Options { scope: Scope::Blocks, ..options };
        let expected = meaning(&naive::interpret(&stream, &options));
        prop_assert_eq!(&meaning(&naive::interpret(&written, &options)), &expected);
        prop_assert_eq!(&meaning(&block_routes::borrowed(&[&written], &options)), &expected);
    }

    /// The blocks are identical if an ID is only written where it was set.
    #[test]
    fn without_inherited_ids_the_blocks_are_the_same(stream in any_stream(), sizes in any_cut()) {
        let written = written_again(&cut(&stream, &sizes), |block| match block {
            BlockRef::Event(event) => event.without_inherited_id().to_bytes().to_vec(),
            other => other.encode_to_vec(),
        });
        let options = Options { scope: Scope::Blocks, ..Options::default() };
        let items = |outcome: Outcome| outcome.items.into_iter().map(|(_, item)| item).collect::<Vec<_>>();
        prop_assert_eq!(items(naive::interpret(&written, &options)), items(naive::interpret(&stream, &options)));
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
        let of_events = |item: &Item| match item {
            Item::Event { .. } | Item::EventTooLarge => true,
            Item::InvalidUtf8 { field, .. } => *field != "comment",
            _ => false,
        };
        let among: Vec<_> = blocks.items.into_iter().filter(|(_, item)| of_events(item)).collect();
        prop_assert_eq!(among, events.items);
        prop_assert_eq!((blocks.last_event_id, blocks.reconnection_time), (events.last_event_id, events.reconnection_time));
    }
}

trait EncodeToVec {
    fn encode_to_vec(&self) -> Vec<u8>;
}

impl EncodeToVec for BlockRef<'_> {
    fn encode_to_vec(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.encode(&mut bytes);
        bytes
    }
}

fn written_again(chunks: &[&[u8]], write: impl Fn(&BlockRef<'_>) -> Vec<u8>) -> Vec<u8> {
    let (mut decoder, mut written) = (Decoder::new(), Vec::new());
    for chunk in chunks {
        let mut input = *chunk;
        while let Some(block) = decoder.decode_block(&mut input).expect("within the limit") {
            written.extend(write(&block));
        }
    }
    while let Some(block) = decoder.finish_block().expect("nothing is reported") {
        written.extend(block.to_bytes());
    }
    written
}

/// What a stream means: its items without their positions, and without which block set an ID.
fn meaning(outcome: &Outcome) -> (Vec<Item>, String, Option<u64>) {
    let items = outcome.items.iter().map(|(_, item)| match item.clone() {
        Item::Event { event_type, data, id, retry, .. } => {
            Item::Event { event_type, data, id, has_own_id: false, retry }
        }
        other => other,
    });
    (items.collect(), outcome.last_event_id.clone(), outcome.reconnection_time)
}

/// Checks the blocks of a stream, one line each, with the number of bytes after which each was returned, by every
/// route and split in two at every place.
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
                Ok(Some(block)) => shown.push(show(&block.to_block())),
                Ok(None) => break,
                Err(error) => shown.push(error.to_string()),
            }
        }
    }
    loop {
        match decoder.finish_block() {
            Ok(Some(block)) => shown.push(show(&block)),
            Ok(None) => break,
            Err(error) => shown.push(error.to_string()),
        }
    }
    shown
}

fn show(block: &Block) -> String {
    match block {
        Block::Event(event) => {
            let id = if event.has_own_id() { format!("#{}", event.id()) } else { String::new() };
            let retry = event.retry().map(|time| format!(" retry {time:?}")).unwrap_or_default();
            format!("{}{id}{retry}: {}", event.event_type(), event.data().escape_debug())
        }
        Block::Comment(comment) => format!("comment {:?}", comment.text()),
        Block::Retry(time) => format!("retry {time:?}"),
        Block::Id(id) => format!("ID {:?}", id.as_str()),
        Block::Dataless(event_type) => format!("only {event_type}"),
        other => panic!("a block that no stream contains: {other:?}"),
    }
}

#[test]
fn items_of_a_block_without_data() {
    check("id: 7\n\n", &["ID \"7\""]);
    check("id\n\ndata: a\n\n", &["ID \"\"", "message: a"]);
    check("retry: 5\n\n", &["retry 5ms"]);
    check("event: heartbeat\r\n\r\n", &["only heartbeat"]);
    check("event: message\n\n", &["only message"]);
    check("event: t\nretry: 5\nid: 7\n\n", &["ID \"7\"", "retry 5ms", "only t"]);
    // A field without effect yields no block.
    check("event: t\nevent:\n\nid: a\0\n\nretry: x\n\nfoo: bar\n\n\n\n", &[]);
    // The last of several fields counts.
    check("id: 1\nid: 2\nretry: 1\nretry: 2\nevent: a\nevent: b\n\n", &["ID \"2\"", "retry 2ms", "only b"]);
}

#[test]
fn with_data_there_is_one_event() {
    check("event: t\nretry: 5\nid: 7\ndata: a\n\ndata: b\n\n", &["t#7 retry 5ms: a", "message: b"]);
    check("id\ndata\n\n", &["message#: "]);
}

#[test]
fn a_comment_is_returned_at_the_end_of_its_line() {
    check(
        ": a\ndata: 1\n:b\ndata: 2\n:\n:  c\n\n: d",
        &["comment \"a\"", "comment \"b\"", "comment \"\"", "comment \" c\"", "message: 1\\n2"],
    );
    let mut decoder = Decoder::new();
    let mut input = &b"data: 1\n: now\r"[..];
    assert_eq!(decoder.decode_block(&mut input), Ok(Some(BlockRef::Comment("now"))));
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
fn a_retry_in_an_unfinished_block_is_returned_at_the_end() {
    check("retry: 5\ndata: a", &["retry 5ms"]);
    check("retry: 5\n", &["retry 5ms"]);
    check("retry: 5", &[]);
    let stream = &b"id: 1\nretry: 5\ndata: a\n: c"[..];
    let with = |eof| show_all(&mut Decoder::new().with_eof(eof), &[stream]);
    assert_eq!(with(Eof::Discard), ["retry 5ms"]);
    assert_eq!(with(Eof::Error), ["retry 5ms", "the stream ended in the middle of an event"]);
    assert_eq!(with(Eof::Dispatch), ["comment \"c\"", "message#1 retry 5ms: a"]);
    let with = |eof| show_all(&mut Decoder::new().with_eof(eof), &[b"retry: 5\nid: 1\nevent: t"]);
    assert_eq!(with(Eof::Dispatch), ["ID \"1\"", "retry 5ms", "only t"]);

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
    assert_eq!(with(16)[..3], ["comment \"1234567\"", "comment \"123456\"", "comment \"1234567\""]);
    assert_eq!(with(9)[0], too_large(9));
    assert_eq!(with(9)[1], "comment \"123456\"");
    // The error is returned once, however many chunks the comment has, and the event around it is kept.
    let mut decoder = Decoder::new().with_max_event_size(18);
    let endless = std::iter::repeat_n(&b"xxxxxxxx"[..], 10);
    let chunks: Vec<&[u8]> = [&b"data: a\n:"[..]].into_iter().chain(endless).chain([&b"\ndata: b\n\n"[..]]).collect();
    assert_eq!(show_all(&mut decoder, &chunks), [&too_large(18)[..], "message: a\\nb"]);
}

#[test]
fn a_block_that_is_too_large_loses_neither_its_comments_nor_its_retry() {
    let mut decoder = Decoder::new().with_max_event_size(10);
    let stream = b"retry: 5\nid: 1\ndata: 1234567\n: a\nretry: 6\ndata: 1\n: b\n\ndata: 1\n\n";
    for size in [1, 2, 5, 100] {
        let chunks: Vec<&[u8]> = stream.chunks(size).collect();
        assert_eq!(
            show_all(&mut decoder, &chunks),
            [
                "the event is larger than the limit of 10 bytes",
                "retry 5ms",
                "comment \"a\"",
                "comment \"b\"",
                "message: 1",
            ]
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
            "comment \"ok\"",
            "message: a\\nb",
            "the value of `event` is not valid UTF-8 (at byte 0)",
            "message: c",
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
    check("data: \u{FFFD}\n\n", &["message: \u{FFFD}"]);
    let stream = b": a\xFF\n\nid: \xFF\nevent: \xFF\n\n: \xE2\x82\n";
    for size in [1, 100] {
        let chunks: Vec<&[u8]> = stream.chunks(size).collect();
        let expected = ["comment \"a\u{FFFD}\"", "ID \"\u{FFFD}\"", "only \u{FFFD}", "comment \"\u{FFFD}\""];
        assert_eq!(show_all(&mut Decoder::new(), &chunks), expected);
    }
}

proptest! {
    /// A reader that alternates between events and blocks gets all events, and no block that is not in the stream.
    #[test]
    fn alternating_calls_invent_nothing(stream in any_stream(), sizes in any_cut(), turns in proptest::collection::vec(any::<bool>(), 1..6)) {
        let chunks = cut(&stream, &sizes);
        let show = |block: BlockRef<'_>| show(&block.to_block());
        let (mut decoder, mut all) = (Decoder::new(), Vec::new());
        let mut input = &stream[..];
        while let Some(block) = decoder.decode_block(&mut input).unwrap() {
            all.push((matches!(block, BlockRef::Event(_)), show(block)));
        }
        let (mut decoder, mut some, mut turns) = (Decoder::new(), Vec::new(), turns.iter().cycle());
        for mut chunk in chunks {
            loop {
                let block = match turns.next() {
                    Some(true) => decoder.decode_block(&mut chunk).unwrap(),
                    _ => decoder.decode(&mut chunk).unwrap().map(BlockRef::Event),
                };
                let Some(block) = block else { break };
                some.push((matches!(block, BlockRef::Event(_)), show(block)));
            }
        }
        let mut rest = all.iter();
        for block in &some {
            prop_assert!(rest.any(|other| other == block), "{:?} is not among {:?}", block, all);
        }
        let events = |blocks: &[(bool, String)]| blocks.iter().filter(|(is_event, _)| *is_event).count();
        prop_assert_eq!(events(&some), events(&all));
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
    assert_eq!(decoder.decode_block(&mut &b": e\n"[..]), Ok(Some(BlockRef::Comment("e"))));
    assert_eq!(decoder.decode_block(&mut &b": he"[..]), Ok(None));
    assert_eq!(decoder.decode(&mut &b"ll"[..]), Ok(None));
    assert_eq!(decoder.decode_block(&mut &b"o\n"[..]), Ok(None));

    let mut input = &b"id: 1\nretry: 5\n\ndata: a\n\n"[..];
    assert!(matches!(decoder.decode_block(&mut input), Ok(Some(BlockRef::Id(id))) if id.as_str() == "1"));
    let event = decoder.decode(&mut input).unwrap().unwrap();
    assert_eq!((event.data(), event.id(), event.has_own_id()), ("a", "1", false));
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
    assert!(matches!(decoder.decode_block(&mut &b"\n"[..]), Ok(Some(BlockRef::Comment(text))) if text.len() == 90_000));
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
        b": comment\nid: 1\n\nretry: 5\n\nevent: t\n\nid: 2\nevent: u\ndata: a\n: inside\ndata: b\n\ndata: c\n\n";
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
    // A long ID or type without data costs one allocation.
    let mut decoder = Decoder::new();
    for (number, allocations) in [(1, 2), (2, 2), (3, 2)] {
        let stream =
            format!("id: an ID of more than 23 bytes {number}\nevent: a type of more than 23 bytes {number}\n\n");
        let (block, usage) = measure(|| decoder.decode_block(&mut stream.as_bytes()).unwrap().is_some());
        let (other, more) = measure(|| decoder.decode_block(&mut &b""[..]).unwrap().is_some());
        assert!(block && other);
        assert!(usage.allocations + more.allocations <= allocations || number == 1, "{usage:?}, {more:?}");
    }
}

/// A client of the Model Context Protocol sets its initial last event ID by a block that contains nothing else, and
/// limits the size of events.
#[test]
fn rmcps_needs() {
    let mut decoder = Decoder::new().with_max_event_size(1000);
    let mut input = &b"id: 1f3a/0\nretry: 3000\n\nevent: message\nid: 1f3a/1\ndata: {\"jsonrpc\":\"2.0\"}\n\n"[..];
    assert!(matches!(decoder.decode_block(&mut input), Ok(Some(BlockRef::Id(id))) if id.as_str() == "1f3a/0"));
    assert_eq!(decoder.last_event_id(), "1f3a/0");
    assert_eq!(decoder.decode_block(&mut input), Ok(Some(BlockRef::Retry(Duration::from_secs(3)))));
    let block = decoder.decode_block(&mut input).unwrap().unwrap();
    assert!(matches!(block, BlockRef::Event(event) if event.has_own_id() && event.data().starts_with('{')));
    let hostile = [&b"data: "[..], &[b'x'; 2000], b"\n\n"].concat();
    assert!(matches!(decoder.decode_block(&mut &hostile[..]), Err(DecodeError::EventTooLarge { limit: 1000, .. })));
}

/// A LaunchDarkly client returns comments to its users as they arrive, in order with the events.
#[test]
fn launchdarklys_needs() {
    check(
        ":hello\n\nevent: put\ndata: {}\n\n:\n\n: still here\ndata: 1\n\n",
        &["comment \"hello\"", "put: {}", "comment \"\"", "comment \"still here\"", "message: 1"],
    );
}

/// A client of many services inspects each block, to distinguish a heartbeat without data from silence.
#[test]
fn genais_needs() {
    check(
        "event: heartbeat\n\nevent: message_start\ndata: {}\n\nevent: ping\n\ndata: [DONE]\n\n",
        &["only heartbeat", "message_start: {}", "only ping", "message: [DONE]"],
    );
}

#[test]
fn blocks_can_be_stored_and_compared() {
    let mut decoder = Decoder::new();
    let mut input = &b": c\nid: 1\ndata: a\n\n"[..];
    let comment = decoder.decode_block(&mut input).unwrap().unwrap().to_block();
    assert_eq!(comment, Block::Comment(Comment::new("c")));
    let event = Block::from(decoder.decode_block(&mut input).unwrap().unwrap());
    assert_eq!(event, Block::Event(Event::new("a").with_id("1").unwrap()));
    // Which block set an ID makes no difference.
    let inherited = decoder.decode(&mut &b"data: a\n\n"[..]).unwrap().unwrap().to_event();
    assert!(!inherited.has_own_id());
    assert_eq!(event, Block::Event(inherited));
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
