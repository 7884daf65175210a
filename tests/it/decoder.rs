//! The decoder between its events: what it says of itself, its next stream, its copies.

use crate::{
    decode_routes,
    naive::{Item, Options, Outcome},
};
use eventwire::{DecodeError, Decoder, Eof};
use std::time::Duration;

/// Feeds a chunk to its end; the data of each event in it, `!` for an error.
fn feed(decoder: &mut Decoder, mut chunk: &[u8]) -> Vec<String> {
    let mut found = Vec::new();
    loop {
        match decoder.decode(&mut chunk) {
            Ok(Some(event)) => found.push(event.data().to_owned()),
            Ok(None) => return found,
            Err(_) => found.push("!".to_owned()),
        }
    }
}

/// A stream in parts; behind every byte of a part the answer is the same.
const BETWEEN: &[(&[u8], bool)] = &[
    (b"\xEF\xBB", false), // a line, unless the next byte makes it a byte order mark
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
    (b"\n", true), // the data, event and id lines alone are pending
    (b"data: 1\r\n: c\nretry: 6\n", false),
    (b"\r\n", true),
    (b"event: t\n", false),
    (b"\n", true),
    (b"id: 1\r", false),
    (b"\r", true),
    (b"id: \0\n: c\n", false), // it takes no effect, and is a line all the same
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
    assert!(new().is_between_events());

    let mut byte_by_byte = new();
    for (place, expected) in expected.into_iter().enumerate() {
        let shown = stream[..=place].escape_ascii();
        feed(&mut byte_by_byte, &stream[place..=place]);
        assert_eq!(byte_by_byte.is_between_events(), expected, "{shown}, byte by byte");
        for cut in 0..=place {
            let mut in_two = new();
            feed(&mut in_two, &stream[..cut]);
            feed(&mut in_two, &stream[cut..=place]);
            assert_eq!(in_two.is_between_events(), expected, "{shown}, cut at {cut}");
        }
    }
}

#[test]
fn an_event_that_is_lent_is_no_longer_pending() {
    let mut decoder = Decoder::new();
    let mut input = &b"data: 1\n\ndata: 2\n"[..];
    assert!(decoder.decode(&mut input).unwrap().is_some());
    assert!(decoder.is_between_events());
    assert_eq!(decoder.decode(&mut input), Ok(None));
    assert!(!decoder.is_between_events());
}

#[test]
fn empty_input_changes_nothing() {
    let mut decoder = Decoder::new();
    assert_eq!(decoder.decode(&mut &b""[..]), Ok(None));
    assert_eq!(decoder.decode_bytes(&mut bytes::Bytes::new()), Ok(None));
    let stream = b"\xEF\xBB\xBFid: 1\r\nevent: t\ndata: a\r\ndata: b\n\ndata\n\n";
    let event = |event_type: &str, data: &str| Item::Event {
        event_type: event_type.to_owned(),
        data: data.to_owned(),
        id: "1".to_owned(),
        retry: None,
    };
    let items = vec![(37, event("t", "a\nb")), (43, event("message", ""))];
    let expected = Outcome { items, last_event_id: "1".to_owned(), reconnection_time: None };
    let chunks: Vec<&[u8]> = stream.chunks(1).flat_map(|byte| [&b""[..], byte, b""]).collect();
    decode_routes::check(&chunks, &Options::default(), &expected);
}

#[test]
fn a_copy_in_the_middle_goes_on_by_itself() {
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
        // The original goes another way first, which the copy must not see.
        feed(&mut original, b"x\n\nid: 9\nretry: 9\ndata: another way\n\n");
        let after = feed(&mut copy, tail);
        assert_eq!([before, after].concat(), expected, "copied at {place}");
        assert_eq!((copy.last_event_id(), copy.reconnection_time()), ("2", Some(Duration::from_millis(5))));
    }
}

#[test]
fn the_next_stream_begins_afresh() {
    for eof in [Eof::Discard, Eof::Dispatch, Eof::Error] {
        for unfinished in
            [&b""[..], b"\xEF\xBB", b"da", b"data: lost", b"data: lost\n", b": c", b"event: lost\r", b"foo\r\n"]
        {
            let mut decoder = Decoder::new().with_eof(eof);
            assert_eq!(feed(&mut decoder, b"retry: 7\nid: 1\ndata: 1\n\n"), ["1"]);
            feed(&mut decoder, unfinished);
            let _ = decoder.finish();
            assert!(decoder.is_between_events());
            assert_eq!((decoder.last_event_id(), decoder.reconnection_time()), ("1", Some(Duration::from_millis(7))));
            // A byte order mark is expected again, nothing is pending, and the ID is still the last one.
            let mut input = &b"\xEF\xBB\xBFdata: 2\n\n"[..];
            let event = decoder.decode(&mut input).unwrap().unwrap();
            let shown = unfinished.escape_ascii();
            assert_eq!((event.event_type(), event.data(), event.id()), ("message", "2", "1"), "{eof:?}, {shown}");
        }
    }
}

#[test]
fn a_line_feed_at_the_start_of_the_next_stream_belongs_to_no_cr() {
    // If it did, the CR behind the LF would be the first line end of the next stream, which is blank all the same; so
    // it is the place of the event that tells.
    let mut decoder = Decoder::new();
    assert_eq!(feed(&mut decoder, b"data: 1\r"), [""; 0]);
    assert_eq!(decoder.finish(), Ok(None));
    assert_eq!(feed(&mut decoder, b"\xEF\xBB\xBF\ndata: 2\n\n"), ["2"]);
}

#[test]
fn finish_discards() {
    let mut decoder = Decoder::new();
    feed(&mut decoder, b"retry: 5\nid: 1\ndata: 1\n");
    assert_eq!(decoder.finish(), Ok(None));
    assert_eq!((decoder.last_event_id(), decoder.reconnection_time()), ("", Some(Duration::from_millis(5))));
}

#[test]
fn finish_dispatches() {
    #[track_caller]
    fn check(unfinished: &[u8], data: Option<&str>, id: &str, retry: Option<u64>) {
        let mut decoder = Decoder::new().with_eof(Eof::Dispatch);
        feed(&mut decoder, unfinished);
        let event = decoder.finish().unwrap();
        assert_eq!(event.as_ref().map(|event| event.data()), data);
        assert_eq!(event.as_ref().map(|event| event.id()), data.map(|_| id));
        assert_eq!(decoder.last_event_id(), id);
        assert_eq!(decoder.reconnection_time(), retry.map(Duration::from_millis));
        assert_eq!(decoder.finish(), Ok(None), "once");
    }
    check(b"", None, "", None);
    check(b"data", Some(""), "", None);
    check(b"data: 1", Some("1"), "", None);
    check(b"data: 1\r", Some("1"), "", None);
    check(b"data: 1\n\n", None, "", None);
    check(b"data: 1\nid: 7", Some("1"), "7", None);
    check(b"id: 7", None, "7", None);
    check(b"retry: 7", None, "", Some(7));
    check(b"data: \xE2\x82", Some("\u{FFFD}"), "", None);
    check(b"event: t\n: c", None, "", None);
}

#[test]
fn finish_reports() {
    #[track_caller]
    fn check(unfinished: &[u8], expected: Result<(), DecodeError>) {
        let mut decoder = Decoder::new().with_eof(Eof::Error);
        feed(&mut decoder, unfinished);
        assert_eq!(decoder.finish().map(|event| assert_eq!(event, None)), expected);
        assert_eq!(decoder.finish(), Ok(None), "once");
    }
    let cut_off = Err(DecodeError::UnexpectedEof);
    for complete in
        [&b""[..], b"\xEF\xBB\xBF", b"data: 1\n\n", b": c", b":", b"retry: 5\n", b"foo\n", b"data: 1\n\r: c\r\n: d"]
    {
        check(complete, Ok(()));
    }
    for unfinished in
        [&b"\xEF"[..], b"\xEF\xBB", b"d", b"data: 1\n", b"id: \0\n", b"event\r", b"retry: 5", b"foo", b"data\n: c"]
    {
        check(unfinished, cut_off);
    }
}

#[test]
fn a_type_that_says_message_says_nothing() {
    let events: Vec<_> = ["data: 1\n\n", "event\ndata: 1\n\n", "event: message\ndata: 1\n\n"]
        .map(|stream| {
            let event = Decoder::new().decode_bytes(&mut stream.into()).unwrap().unwrap();
            assert_eq!(Decoder::new().decode(&mut stream.as_bytes()).unwrap().unwrap().to_event(), event);
            event
        })
        .into();
    assert!(events.iter().all(|event| event.event_type() == "message" && *event == events[0]));
}

/// A last event ID may be set at any time, also one so large that its buffer has to be watched.
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

    // In the middle of a block the block goes on, and its own ID takes hold at its end.
    let mut decoder = Decoder::new();
    assert_eq!(decoder.decode(&mut &b"id: 7\ndata: 1\n"[..]), Ok(None));
    let mut decoder = decoder.with_last_event_id(&large).unwrap();
    assert_eq!(decoder.last_event_id(), large);
    let event = decoder.decode(&mut &b"data: 2\n\n"[..]).unwrap().unwrap();
    assert_eq!((event.data(), event.id()), ("1\n2", "7"));
}

#[test]
fn a_cleared_id_is_lent() {
    let mut decoder = Decoder::new();
    let mut input = &b"data: a\n\nid\ndata: b\n\n"[..];
    let a = decoder.decode(&mut input).unwrap().unwrap();
    assert_eq!((a.id(), a.has_id()), ("", false));
    let b = decoder.decode(&mut input).unwrap().unwrap();
    assert_eq!((b.id(), b.has_id()), ("", true));
}

#[test]
fn the_end_in_a_comment_is_forgotten() {
    let mut decoder = Decoder::new().with_eof(Eof::Error);
    assert_eq!(decoder.decode(&mut &b": comm"[..]), Ok(None));
    assert_eq!(decoder.finish(), Ok(None));
    // The beginning of a byte order mark, and of no line yet that the decoder would know of.
    assert_eq!(decoder.decode(&mut &b"\xEF"[..]), Ok(None));
    assert_eq!(decoder.finish(), Err(DecodeError::UnexpectedEof));
}
