//! Events that are written, and read again.

use crate::{
    counting_allocator::measure,
    naive::{self, Item, Options},
    stream_generator::{any_cut, any_stream, cut},
};
use bytes::{Bytes, BytesMut};
use eventwire::{Block, ByteString, Comment, Decoder, Event, EventRef};
use proptest::{collection::vec, option, prelude::*, sample::select};
use std::time::Duration;

/// What text is put together from that tries to be more than text.
const PARTS: &[&str] = &[
    "\n",
    "\n",
    "\r",
    "\r\n",
    "\n\n",
    "\r\r",
    "\r\n\r\n",
    "\n\r",
    " ",
    "  ",
    ":",
    ": ",
    "\0",
    "\u{FEFF}",
    "\u{2028}",
    "\u{85}",
    "\u{B}\u{C}",
    "a",
    "b",
    "\u{E9}",
    "\u{1F600}",
    "message",
    "data",
    "data: x",
    "\ndata: x\n\n",
    "id: 9",
    "\nid: 9",
    "\revent: u",
    "\r\nretry: 1\r\n",
    "event",
];

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![4 => vec(select(PARTS), 0..8).prop_map(|parts| parts.concat()), 1 => any::<String>()]
}

fn any_time() -> impl Strategy<Value = Duration> {
    prop_oneof![
        (0..10_000_u64).prop_map(Duration::from_millis),
        any::<u64>().prop_map(Duration::from_nanos),
        Just(Duration::MAX)
    ]
}

/// Type and ID are what is left of a text when all that is refused has been taken out of it.
fn any_event() -> impl Strategy<Value = Event> {
    (any_text(), option::of(any_text()), option::of(any_text()), option::of(any_time())).prop_map(
        |(data, event_type, id, retry)| {
            let mut event = Event::new(data);
            if let Some(event_type) = event_type {
                event = event.with_event_type(event_type.replace(['\r', '\n'], "")).expect("one line");
            }
            if let Some(id) = id {
                event = event.with_id(id.replace(['\r', '\n', '\0'], "")).expect("one line without NUL");
            }
            retry.map_or(event.clone(), |time| event.with_retry(time))
        },
    )
}

fn any_block() -> impl Strategy<Value = Block> {
    prop_oneof![
        4 => any_event().prop_map(Block::Event),
        1 => any_text().prop_map(|text| Block::Comment(Comment::new(text))),
        1 => any_time().prop_map(Block::Retry),
    ]
}

/// The event as it comes out of a stream: with LF for every line end in its data.
fn read_again(event: &Event) -> Event {
    let data = event.data().replace("\r\n", "\n").replace('\r', "\n");
    let mut read = Event::new(data).with_event_type(event.event_type()).expect("checked before");
    if event.has_id() {
        read = read.with_id(event.id()).expect("checked before");
    }
    match event.retry() {
        Some(time) => read.with_retry(time),
        None => read,
    }
}

fn decode(chunks: &[&[u8]]) -> Vec<Event> {
    let (mut decoder, mut events) = (Decoder::new(), Vec::new());
    for chunk in chunks {
        let mut input = Bytes::copy_from_slice(chunk);
        while let Some(event) = decoder.decode_bytes(&mut input).expect("within the limit") {
            events.push(event);
        }
    }
    assert!(decoder.is_between_events(), "what is written is whole");
    events
}

proptest! {
    #[test]
    fn an_event_is_read_as_it_was_written(event in any_event(), sizes in any_cut()) {
        let bytes = event.to_bytes();
        prop_assert_eq!(bytes.len(), event.encoded_len());
        let expected = read_again(&event);
        prop_assert_eq!(decode(&cut(&bytes, &sizes)), vec![expected.clone()]);
        // To a strict reader, too: the twin.
        let twin = naive::interpret(&bytes, &Options::default());
        prop_assert_eq!(twin.items, vec![(bytes.len(), Item::Event {
            event_type: expected.event_type().into(),
            data: expected.data().into(),
            id: expected.id().into(),
            retry: expected.retry().map(|time| u64::try_from(time.as_millis()).expect("64 bits")),
        })]);
        // And what was read is written as it was before.
        prop_assert_eq!(expected.to_bytes(), decode(&[&bytes])[0].to_bytes());
    }

    #[test]
    fn lent_and_owned_are_written_alike(event in any_event(), time in option::of(any_time())) {
        let mut event = event;
        let text = event.clone();
        let mut lent = EventRef::new(text.data()).with_event_type(text.event_type()).unwrap();
        if text.has_id() {
            lent = lent.with_id(text.id()).unwrap();
        }
        if let Some(time) = time.or(text.retry()) {
            (lent, event) = (lent.with_retry(time), event.with_retry(time));
        }
        prop_assert_eq!(lent.retry(), event.retry());
        prop_assert_eq!(lent.to_bytes(), event.to_bytes());
        prop_assert_eq!(lent.encoded_len(), event.encoded_len());
        prop_assert_eq!(lent.to_event(), event.clone());
        let (mut by_lent, mut by_owned) = (BytesMut::new(), Vec::new());
        lent.encode(&mut by_lent);
        event.encode(&mut by_owned);
        prop_assert_eq!(by_lent, by_owned);
    }

    #[test]
    fn a_stream_of_blocks_is_its_events(blocks in vec(any_block(), 0..8), sizes in any_cut()) {
        let mut bytes = Vec::new();
        for block in &blocks {
            let before = bytes.len();
            block.encode(&mut bytes);
            prop_assert_eq!(&bytes[before..], block.to_bytes());
        }
        let mut id: Option<String> = None;
        let mut expected = Vec::new();
        let mut time = None;
        for block in &blocks {
            match block {
                Block::Event(event) => {
                    let mut event = read_again(event);
                    // An ID stays until there is another.
                    if event.has_id() {
                        id = Some(event.id().to_owned());
                    } else if let Some(id) = &id {
                        event = event.with_id(id.as_str()).unwrap();
                    }
                    time = event.retry().or(time);
                    expected.push(event);
                }
                Block::Retry(alone) => time = Event::new("").with_retry(*alone).retry(),
                _ => {}
            }
        }
        prop_assert_eq!(decode(&cut(&bytes, &sizes)), expected);
        let twin = naive::interpret(&bytes, &Options::default());
        prop_assert_eq!(twin.reconnection_time.map(Duration::from_millis), time);
    }

    /// What comes out of any stream can be sent on: an ID that was cleared stays cleared, one that was never set, unset.
    #[test]
    fn what_was_read_can_be_sent_on(stream in any_stream(), sizes in any_cut()) {
        let events = decode_all(&cut(&stream, &sizes));
        let sent_on: Vec<Bytes> = events.iter().map(Event::to_bytes).collect();
        prop_assert_eq!(decode(&[&sent_on.concat()]), events.clone());
        for (event, bytes) in events.iter().zip(&sent_on) {
            prop_assert_eq!(decode(&[bytes]), vec![event.clone()], "each by itself");
        }
    }

    #[test]
    fn a_type_or_an_id_is_one_line_or_none(text in any_text()) {
        let (event, lent) = (Event::new("d"), EventRef::new("d"));
        let first = |forbidden: &[char]| text.find(forbidden);
        match first(&['\r', '\n']) {
            Some(offset) => {
                let error = event.clone().with_event_type(text.as_str()).unwrap_err();
                prop_assert_eq!((error.field(), error.offset()), ("event", offset));
                prop_assert_eq!(lent.with_event_type(&text).unwrap_err(), error);
            }
            None => {
                let expected = if text.is_empty() { "message" } else { &text };
                let event = event.clone().with_event_type(text.as_str()).unwrap();
                prop_assert_eq!(event.event_type(), expected);
            }
        }
        match first(&['\r', '\n', '\0']) {
            Some(offset) => {
                let error = event.with_id(text.as_str()).unwrap_err();
                prop_assert_eq!((error.field(), error.offset()), ("id", offset));
                prop_assert_eq!(lent.with_id(&text).unwrap_err(), error);
            }
            None => {
                let event = event.with_id(text.as_str()).unwrap();
                prop_assert_eq!(event.id(), text.as_str());
            }
        }
    }
}

/// As `decode`, of a stream that may end anywhere.
fn decode_all(chunks: &[&[u8]]) -> Vec<Event> {
    let (mut decoder, mut events) = (Decoder::new(), Vec::new());
    for chunk in chunks {
        let mut input = *chunk;
        while let Some(event) = decoder.decode(&mut input).expect("within the limit") {
            events.push(event.to_event());
        }
    }
    events
}

#[test]
fn a_builder_takes_text_of_any_kind() {
    let by_str = Event::new("a").with_event_type("t").unwrap().with_id("7").unwrap();
    let by_string =
        Event::new("a".to_owned()).with_event_type("t".to_owned()).unwrap().with_id("7".to_owned()).unwrap();
    let text = ByteString::from_static;
    let by_bytes = Event::new(text("a")).with_event_type(text("t")).unwrap().with_id(text("7")).unwrap();
    assert_eq!(by_str, by_string);
    assert_eq!(by_str, by_bytes);
}

#[test]
fn the_last_one_set_counts() {
    let event = Event::new("a").with_event_type("t").unwrap().with_event_type("message").unwrap();
    assert_eq!(event, Event::new("a"));
    let event = Event::new("a").with_id("1").unwrap().with_id("").unwrap();
    assert_eq!((event.id(), event.has_id()), ("", true));
    assert_ne!(event, Event::new("a"));
    let event = Event::new("a").with_id("1").unwrap().with_data("b");
    assert_eq!((event.data(), event.id()), ("b", "1"));
    let seconds = Duration::from_secs;
    assert_eq!(Event::new("a").with_retry(seconds(1)).with_retry(seconds(2)).retry(), Some(seconds(2)));
}

#[test]
fn a_seeded_id_is_an_id_and_the_empty_one_is_none() {
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
fn one_allocation_at_most() {
    for data in ["", "word", "two\nlines", "\r\n\r\n", &"0123456789".repeat(1000), &"line\r\n".repeat(1000)] {
        let plain = Event::new(data);
        let full = plain.clone().with_event_type("t").unwrap().with_id("7").unwrap().with_retry(Duration::from_secs(3));
        for event in [plain, full] {
            let (bytes, usage) = measure(|| event.to_bytes());
            assert_eq!(
                (usage.allocations, usage.allocated),
                (1, u64::try_from(bytes.len()).unwrap()),
                "to_bytes: {data}"
            );
            let (_, usage) = measure(|| {
                let mut out = Vec::new();
                event.encode(&mut out);
                out
            });
            assert_eq!(usage.allocations, 1, "into an empty Vec: {data}");
            let (_, usage) = measure(|| {
                let mut out = BytesMut::new();
                event.encode(&mut out);
                out
            });
            assert_eq!(usage.allocations, 1, "into an empty BytesMut: {data}");
            let mut out = b"some before".to_vec();
            assert_eq!(measure(|| event.encode(&mut out)).1.allocations, 1, "into a full Vec: {data}");
            let mut out = Vec::with_capacity(event.encoded_len());
            assert_eq!(measure(|| event.encode(&mut out)).1.allocations, 0, "where there is room: {data}");
            let mut room = vec![0; event.encoded_len()];
            let mut out = &mut room[..];
            assert_eq!(measure(|| event.encode(&mut out)).1.allocations, 0, "into a slice: {data}");
            assert_eq!(room, bytes);
        }
    }
    assert_eq!(measure(|| Event::done().to_bytes()).1.allocations, 1);
    let (_, usage) = measure(|| EventRef::new("a").with_event_type("t").unwrap().with_id("7").unwrap().to_bytes());
    assert_eq!(usage.allocations, 1);
}

/// Within the rules of `BufMut`, which refuses by a panic, and before a byte is written, be the event small or large.
#[test]
fn a_buffer_of_a_fixed_size_is_not_begun_if_it_is_too_small() {
    for data in ["a", &"0123456789".repeat(30), &"line\n".repeat(100)] {
        let event = Event::new(data);
        let mut room = vec![b'.'; event.encoded_len() - 1];
        let refused = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| event.encode(&mut &mut room[..])));
        assert!(refused.is_err(), "{data}");
        assert!(room.iter().all(|byte| *byte == b'.'), "{data}");
    }
}

#[test]
fn behind_another_reference_it_is_the_same() {
    let event = Event::new("line\n".repeat(1000));
    let mut vec = Vec::new();
    event.encode(&mut &mut vec);
    assert_eq!(vec, event.to_bytes());
}

#[test]
fn what_others_get_wrong() {
    #[track_caller]
    fn check(data: &str, written: &str) {
        assert_eq!(Event::new(data).to_bytes(), written);
    }
    // Empty data is an event; a last line end is a line.
    check("", "data: \n\n");
    check("a\n", "data: a\ndata: \n\n");
    check("\na", "data: \ndata: a\n\n");
    // CRLF is one line end, and a lone CR is one as well.
    check("a\r\nb\rc", "data: a\ndata: b\ndata: c\n\n");
    // A space in front is not lost.
    check(" a", "data:  a\n\n");
    check("a\n\nevent: forged\ndata: b\n\n", "data: a\ndata: \ndata: event: forged\ndata: data: b\ndata: \ndata: \n\n");
    assert!(Event::new("").with_event_type("t\ndata: forged").is_err());
    assert!(Event::new("").with_id("7\rdata: forged").is_err());
}

/// Short texts and long ones are searched in different ways.
#[test]
fn no_length_of_text_hides_a_line_end() {
    for before in 0..140 {
        for behind in [0, 1, 64, 130] {
            let (a, b) = ("a".repeat(before), "b".repeat(behind));
            for end in ["\n", "\r", "\r\n"] {
                let event = Event::new(format!("{a}{end}{b}"));
                assert_eq!(event.to_bytes(), format!("data: {a}\ndata: {b}\n\n"), "{before} and {behind}");
            }
        }
    }
}

/// Short events and long ones are put together in different ways.
#[test]
fn every_length_is_written() {
    for length in 0..300 {
        let event = Event::new("x".repeat(length));
        let mut out = Vec::new();
        event.encode(&mut out);
        assert_eq!(out, event.to_bytes(), "{length}");
        // And with a type of the same length, by which what is before the data is long as well.
        let typed = event.with_event_type("t".repeat(length)).unwrap();
        let mut out = Vec::new();
        typed.encode(&mut out);
        assert_eq!(out, typed.to_bytes(), "{length}, typed");
    }
}

#[test]
fn lent_is_as_owned() {
    let lent = EventRef::new("a");
    assert_eq!(lent.with_retry(Duration::from_micros(2500)).retry(), Some(Duration::from_millis(2)));
    assert_eq!(lent.with_retry(Duration::MAX).retry(), Some(Duration::from_millis(u64::MAX)));
    assert_eq!((lent.has_id(), lent.with_id("").unwrap().has_id()), (false, true));
}

#[test]
fn a_comment_by_itself() {
    let comment = Comment::new("a\nb ");
    let mut out = Vec::new();
    comment.encode(&mut out);
    assert_eq!((comment.text(), &out[..]), ("a\nb ", &b": a\n: b \n\n"[..]));
    assert_eq!(comment.to_bytes(), out);
}
