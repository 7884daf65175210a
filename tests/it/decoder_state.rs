//! The decoder's getters, its clones, and how its last event ID is set.

use crate::{
    decode_routes,
    naive::{self, Item, Options, Outcome},
};
use eventwire::{DecodeError, Decoder, Position};
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

/// A stream in parts, and the value of position after every byte of the part.
const BETWEEN: &[(&[u8], bool)] = &[
    (b"\xEF\xBB", false), // a line, unless the next byte completes a byte order mark
    (b"\xBF", true),
    (b"\n\r\n\r", true),
    (b"\n", true),
    (b": comment", false),
    (b"\n", true),
    (b"retry: 5", false),
    (b"\r\n", true),
    (b"foo: bar", false),
    (b"\n", true),
    (b"datum", false),
    (b"\n", true), // only data, event and id lines are pending
    (b"data: 1\r\n: c\nretry: 6\n", false),
    (b"\r\n", true),
    (b"event: t\n", false),
    (b"\n", true),
    (b"id: 1\r", false),
    (b"\r", true),
    (b"id: \0\n: c\n", false), // it has no effect but is still a line
    (b"\n", true),
    (b"data\ndata: 0123456789\ndata\n\0\r", false), // over the limit
    (b"\r\n", true),
    (b"event", false),
];

#[test]
fn between_events_or_not_at_every_byte() {
    let stream: Vec<u8> = BETWEEN.iter().flat_map(|(part, _)| *part).copied().collect();
    let expected: Vec<bool> = BETWEEN.iter().flat_map(|(part, between)| vec![*between; part.len()]).collect();
    let new = || Decoder::new().with_max_event_size(20);
    assert_eq!(new().position(), Position::BetweenBlocks);

    let mut byte_by_byte = new();
    for (place, expected) in expected.into_iter().enumerate() {
        let shown = stream[..=place].escape_ascii();
        feed(&mut byte_by_byte, &stream[place..=place]);
        assert_eq!(byte_by_byte.position() == Position::BetweenBlocks, expected, "{shown}, byte by byte");
        for cut in 0..=place {
            let mut in_two = new();
            feed(&mut in_two, &stream[..cut]);
            feed(&mut in_two, &stream[cut..=place]);
            assert_eq!(in_two.position() == Position::BetweenBlocks, expected, "{shown}, split at {cut}");
        }
    }
}

#[test]
fn a_borrowed_event_is_no_longer_pending() {
    let mut decoder = Decoder::new();
    let mut input = &b"data: 1\n\ndata: 2\n"[..];
    assert!(decoder.decode(&mut input).unwrap().is_some());
    assert_eq!(decoder.position(), Position::BetweenBlocks);
    assert_eq!(decoder.decode(&mut input), Ok(None));
    assert_eq!(decoder.position(), Position::WithinBlock);
}

#[test]
fn empty_input_changes_nothing() {
    let mut decoder = Decoder::new();
    assert_eq!(decoder.decode(&mut &b""[..]), Ok(None));
    assert_eq!(decoder.decode_bytes(&mut bytes::Bytes::new()), Ok(None));
    let stream = b"\xEF\xBB\xBFid: 1\r\nevent: t\ndata: a\r\ndata: b\n\ndata\n\n";
    let event = |event_type: &str, data: &str| {
        let (event_type, data, id) = (event_type.to_owned(), data.to_owned(), Some("1".to_owned()));
        Item::Event(naive::Event { event_type, data, id, retry: None })
    };
    let items = vec![(37, event("t", "a\nb")), (43, event("message", ""))];
    let expected = Outcome { items, last_event_id: "1".to_owned(), reconnection_time: None };
    let chunks: Vec<&[u8]> = stream.chunks(1).flat_map(|byte| [&b""[..], byte, b""]).collect();
    decode_routes::check(&chunks, &Options::default(), &expected);
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
fn an_explicit_type_message_is_the_default_type() {
    let events: Vec<_> = ["data: 1\n\n", "event\ndata: 1\n\n", "event: message\ndata: 1\n\n"]
        .map(|stream| {
            let event = Decoder::new().decode_bytes(&mut stream.into()).unwrap().unwrap();
            assert_eq!(Decoder::new().decode(&mut stream.as_bytes()).unwrap().unwrap().to_event(), event);
            event
        })
        .into();
    assert!(events.iter().all(|event| event.event_type() == "message" && *event == events[0]));
}

#[test]
fn an_initial_id_is_an_id_and_an_empty_one_is_none() {
    let id_of = |decoder: Decoder| {
        let mut decoder = decoder;
        let event = decoder.decode(&mut &b"data\n\n"[..]).unwrap().unwrap().to_event();
        event.has_id().then(|| event.id().to_owned())
    };
    assert_eq!(id_of(Decoder::new()), None);
    assert_eq!(id_of(Decoder::new().with_last_event_id("7").unwrap()), Some("7".to_owned()));
    assert_eq!(id_of(Decoder::new().with_last_event_id("").unwrap()), None);
    assert_eq!(id_of(Decoder::new().with_last_event_id("7").unwrap().with_last_event_id("").unwrap()), None);
}

#[test]
fn a_cleared_id_is_returned() {
    let mut decoder = Decoder::new();
    let mut input = &b"data: a\n\nid\ndata: b\n\n"[..];
    let a = decoder.decode(&mut input).unwrap().unwrap();
    assert_eq!((a.id(), a.has_id()), ("", false));
    let b = decoder.decode(&mut input).unwrap().unwrap();
    assert_eq!((b.id(), b.has_id()), ("", true));
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
    assert_eq!((event.data(), event.id()), ("new", &large[..]));

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
    assert_eq!((event.data(), event.id()), ("1\n2", "7"));
}
