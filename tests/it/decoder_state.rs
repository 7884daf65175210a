//! The decoder's getters, its clones, and how its last event ID is set.

use crate::{
    decode_routes,
    naive::{self, Options, Utf8Policy},
};
use eventwire::{
    BlockItemRef, DecodeError, Decoder,
    Position::{self, BetweenBlocks, Ended, WithinBlock, WithinComment},
};
use std::time::Duration;

/// Decodes a chunk to its end. Returns the data of each event, and `!` for an error.
pub(crate) fn feed(decoder: &mut Decoder, mut chunk: &[u8]) -> Vec<String> {
    let mut found = Vec::new();
    loop {
        match decoder.decode(&mut chunk) {
            Ok(Some(event)) => found.push(event.data().to_owned()),
            Ok(None) => return found,
            Err(_) => found.push("!".to_owned()),
        }
    }
}

/// A stream in parts, and the position after every byte of the part.
const POSITIONS: &[(&[u8], Position)] = &[
    (b"\xEF\xBB", WithinBlock), // a line, unless the next byte completes a byte order mark
    (b"\xBF", BetweenBlocks),
    (b"\n\r\n\r", BetweenBlocks),
    (b"\n", BetweenBlocks),
    (b": comment", WithinComment),
    (b"\n", BetweenBlocks),
    (b"retry: 5", WithinBlock),
    (b"\r\n", BetweenBlocks),
    (b"foo: bar", WithinBlock),
    (b"\n", BetweenBlocks),
    (b"datum", WithinBlock),
    (b"\n", BetweenBlocks), // only data, event and id lines are pending
    (b"data: 1\r\n: c\nretry: 6\n", WithinBlock),
    (b"\r\n", BetweenBlocks),
    (b"event: t\n", WithinBlock),
    (b"\n", BetweenBlocks),
    (b"id: 1\r", WithinBlock),
    (b"\r", BetweenBlocks),
    (b"id: \0\n: c\n", WithinBlock), // it has no effect but is still a line
    (b"\n", BetweenBlocks),
    (b"data\ndata: 0123456789\ndata\n\0\r", WithinBlock), // over the limit
    (b"\r\n", BetweenBlocks),
    (b": \xFF", WithinComment),
    (b"\n: c\n\ndata: 1\n", Ended),
];

/// `generated_streams` compares the position with that of the twin after each call.
#[test]
fn the_position_after_every_byte() {
    let stream: Vec<u8> = POSITIONS.iter().flat_map(|(part, _)| *part).copied().collect();
    let expected = POSITIONS.iter().flat_map(|(part, position)| vec![*position; part.len()]);
    let options = Options { max_event_size: 20, utf8_policy: Utf8Policy::Stop, ..Options::default() };
    let mut decoder = decode_routes::decoder(&options);
    assert_eq!(decoder.position(), BetweenBlocks);
    for (place, expected) in expected.enumerate() {
        let shown = stream[..=place].escape_ascii();
        feed(&mut decoder, &stream[place..=place]);
        assert_eq!(decoder.position(), expected, "{shown}");
        assert_eq!(naive::position(&stream[..=place], &options), expected, "{shown}: the twin");
    }
}

#[test]
fn a_clone_within_an_event_continues_independently() {
    let stream = b"\xEF\xBB\xBFid: 1\r\ndata: a\r\ndata: \xC3\xA9\n\n\
        event: t\nretry: 5\ndata: 0123456789012\n\n\
        id: 2\ndata: c\r\r";
    let new = || Decoder::new().with_max_event_size(25).with_last_event_id("0").unwrap();
    let mut whole = new();
    let expected = feed(&mut whole, stream);
    assert_eq!(expected, ["a\n\u{E9}", "!", "c"]);
    for place in 0..=stream.len() {
        let (head, tail) = stream.split_at(place);
        let mut original = new();
        let before = feed(&mut original, head);
        let mut copy = original.clone();
        // The original continues differently first. The clone must not be affected.
        feed(&mut original, b"x\n\nid: 9\nretry: 9\ndata: another way\n\n");
        let after = feed(&mut copy, tail);
        assert_eq!([before, after].concat(), expected, "copied at {place}");
        assert_eq!((copy.last_event_id(), copy.reconnection_time()), ("2", Some(Duration::from_millis(5))));
    }
}

#[test]
fn an_initial_id_is_an_id_and_an_empty_one_is_none() {
    let id_of = |decoder: Decoder| {
        let mut decoder = decoder;
        let event = decoder.decode(&mut &b"data\n\n"[..]).unwrap().unwrap().to_event();
        event.has_id().then(|| event.last_event_id().to_owned())
    };
    assert_eq!(id_of(Decoder::new()), None);
    assert_eq!(id_of(Decoder::new().with_last_event_id("7").unwrap()), Some("7".to_owned()));
    assert_eq!(id_of(Decoder::new().with_last_event_id("").unwrap()), None);
    assert_eq!(id_of(Decoder::new().with_last_event_id("7").unwrap().with_last_event_id("").unwrap()), None);
}

/// A last event ID can be set at any time, even one so large that its buffer is released later.
#[test]
fn a_large_id_set_in_the_middle_of_a_stream_changes_nothing_else() {
    let large = "x".repeat(70_000);

    let mut decoder = Decoder::new();
    let event = decoder.decode(&mut &b"data: old\ndata: old\n\n"[..]).unwrap().unwrap().to_event();
    assert_eq!(event.data(), "old\nold");
    let mut decoder = decoder.with_last_event_id(&large).unwrap();
    let event = decoder.decode(&mut &b"data: new\n\n"[..]).unwrap().unwrap();
    assert_eq!((event.data(), event.last_event_id()), ("new", &large[..]));

    let mut decoder = Decoder::new().with_max_event_size(10);
    let mut input = &b"data: 0123456789\n"[..];
    assert!(matches!(decoder.decode(&mut input), Err(DecodeError::EventTooLarge { limit: 10, .. })));
    let mut decoder = decoder.with_last_event_id(&large).unwrap();
    assert_eq!(decoder.decode(&mut &b"data: 1\n\n"[..]), Ok(None), "the rest of the block that is too large");
    assert_eq!(decoder.decode(&mut &b"data: 2\n\n"[..]).unwrap().unwrap().data(), "2");

    // In the middle of a block, the block continues, and its own ID takes effect at its end.
    let mut decoder = Decoder::new();
    assert_eq!(decoder.decode(&mut &b"id: 7\ndata: 1\n"[..]), Ok(None));
    let mut decoder = decoder.with_last_event_id(&large).unwrap();
    assert_eq!(decoder.last_event_id(), large);
    let event = decoder.decode(&mut &b"data: 2\n\n"[..]).unwrap().unwrap();
    assert_eq!((event.data(), event.last_event_id()), ("1\n2", "7"));
}

#[test]
fn stop_begins_with_the_next_line() {
    let mut decoder = Decoder::new();
    assert_eq!(decoder.decode(&mut &b"data: \xC3"[..]), Ok(None));
    let mut decoder = decoder.with_utf8_policy(eventwire::Utf8Policy::Stop);
    let mut input = &b"\xA9\n\ndata: \xC3\n\ndata: 1\n\n"[..];
    assert_eq!(decoder.decode(&mut input).unwrap().unwrap().data(), "\u{E9}");
    assert!(matches!(decoder.decode(&mut input), Err(eventwire::DecodeError::InvalidUtf8(_))));
    assert_eq!(decoder.decode(&mut input), Ok(None));
    assert!(input.is_empty());
}

/// Such a line begins after a byte order mark as well, even if Stop was set inside the mark.
#[test]
fn stop_that_is_set_before_a_line_checks_it() {
    for (before, after) in [
        (&b""[..], &b"\xFF\n\n"[..]),
        (b"data: 1\n", b"\xFF\n\n"),
        (b"data: 1\r", b"\n\xFF\n\n"),
        (b"data: 1\n\n", b"data: \xFF\n\n"),
        (b": c\n", b": \xFF\n\n"),
        (b"\xEF\xBB", b"\xBFdata: \xFF\n\n"),
    ] {
        let mut decoder = Decoder::new();
        feed(&mut decoder, before);
        let mut decoder = decoder.with_utf8_policy(eventwire::Utf8Policy::Stop);
        let outcome = decoder.decode(&mut { after });
        assert!(matches!(outcome, Err(DecodeError::InvalidUtf8(_))), "{}: {outcome:?}", before.escape_ascii());
    }
}

#[test]
fn stop_that_is_set_again_goes_on_checking_the_line() {
    let mut decoder = Decoder::new().with_utf8_policy(eventwire::Utf8Policy::Stop);
    assert_eq!(decoder.decode(&mut &b"data: \xFF"[..]), Ok(None));
    let mut decoder = decoder.with_utf8_policy(eventwire::Utf8Policy::Stop);
    assert!(decoder.decode(&mut &b"x\n\n"[..]).is_err());
}

#[test]
fn a_comment_that_is_open_when_comments_are_omitted_is_not_returned() {
    let mut decoder = Decoder::new().with_eof(eventwire::Eof::Dispatch);
    assert_eq!(decoder.decode_block(&mut &b": par"[..]), Ok(None));
    let mut decoder = decoder.without_comments();
    assert_eq!(decoder.finish_block(), Ok(None));
}

#[test]
fn a_name_that_the_input_ends_with_is_not_continued() {
    let mut decoder = Decoder::new().with_max_event_size(9);
    assert!(decoder.decode_block(&mut &b"retry: 5\ndata: too large"[..]).is_err());
    assert_eq!(decoder.decode(&mut &b"\nfoo"[..]), Ok(None));
    assert!(decoder.finish_block().unwrap().is_some(), "the retry");
    // The stream has not been finished, and goes on.
    assert_eq!(decoder.decode(&mut &b"bar\n\nda"[..]), Ok(None));
    assert_eq!(decoder.decode(&mut &b"ta:1\n\n"[..]).unwrap().unwrap().data(), "1");
}

/// At the end of the chunk already, and not with the next one.
#[test]
fn the_reconnection_time_of_a_block_that_is_too_large_is_returned_after_the_error() {
    for is_without_comments in [false, true] {
        let mut decoder = Decoder::new().with_max_event_size(9);
        if is_without_comments {
            decoder = decoder.without_comments();
        }
        let mut chunk = &b"retry: 5\ndata: too large"[..];
        assert!(matches!(decoder.decode_block(&mut chunk), Err(DecodeError::EventTooLarge { limit: 9, .. })));
        let found = decoder.decode_block(&mut chunk);
        let Ok(Some(BlockItemRef::Block(block))) = found else { panic!("{found:?}, {is_without_comments}") };
        assert_eq!((block.retry(), chunk.is_empty()), (Some(Duration::from_millis(5)), true));
        assert_eq!(decoder.decode_block(&mut chunk), Ok(None));
    }
}

#[test]
fn the_unfinished_data_is_that_of_the_open_block() {
    let mut decoder = Decoder::new().with_max_event_size(20);
    let steps: [(&[u8], &[u8]); 7] = [
        (b"", b""),
        (b"data: 1\ndata: tw", b"1\ntw"),
        (b"o\n", b"1\ntwo"),
        (b"\n", b""),
        (b"data: 3\n", b"3"),
        (b"data: this is too long\n", b""),
        (b"\ndata: 4\n", b"4"),
    ];
    for (chunk, expected) in steps {
        let mut input = chunk;
        while decoder.decode(&mut input) != Ok(None) {}
        assert_eq!(decoder.unfinished_data(), expected, "{}", chunk.escape_ascii());
    }
}
