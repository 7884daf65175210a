//! `Encoded`: which bytes it accepts, and that they can be inserted anywhere in a stream.

use crate::{law, stream_generator::Random};
use bytes::Bytes;
use eventwire::{Block, Comment, Decoder, Encoded, Event, EventType, InvalidEncoded, Outgoing};
use std::time::Duration;

/// Returns streams with many line ends, byte order marks and broken characters.
fn any_bytes(random: &mut Random) -> Vec<u8> {
    #[rustfmt::skip]
    const PIECES: &[&[u8]] = &[
        b"\n", b"\n", b"\r", b"\r\n", b"data: a", b"data", b"event: t", b"id: 1", b": c", b"\xEF\xBB\xBF", b"\xEF\xBB",
        b"\xF0", b"x",
    ];
    random.list(10, |random| random.one_of(PIECES)).concat()
}

/// The type and data of the events of a stream.
fn events(stream: &[u8]) -> Vec<(String, String)> {
    let (mut decoder, mut input) = (Decoder::new(), stream);
    let mut events = Vec::new();
    while let Some(event) = decoder.decode(&mut input).unwrap() {
        events.push((event.event_type().into(), event.data().into()));
    }
    events
}

/// With each line end replaced by LF, the bytes must end with an empty line.
fn naive(bytes: &[u8]) -> Result<(), InvalidEncoded> {
    let text = String::from_utf8_lossy(bytes).replace("\r\n", "\n").replace('\r', "\n");
    match () {
        () if bytes.is_empty() => Err(InvalidEncoded::Empty),
        () if text.starts_with('\u{FEFF}') => Err(InvalidEncoded::ByteOrderMark),
        () if text == "\n" || text.ends_with("\n\n") => Ok(()),
        () => Err(InvalidEncoded::Unfinished),
    }
}

#[test]
fn bytes_that_end_with_a_blank_line_are_accepted() {
    law::check(500, |random| {
        let bytes = any_bytes(random);
        let taken = Encoded::from_bytes(Bytes::from(bytes.clone()));
        assert_eq!(taken.clone().map(|_| ()), naive(&bytes));
        if let Ok(encoded) = taken {
            assert_eq!(encoded.as_ref(), &bytes);
        }
    });
}

/// Its events are the same at the start of a stream, between two events, and after any other event.
#[test]
fn it_can_be_inserted_anywhere() {
    law::check(500, |random| {
        let taken = [any_bytes(random), any_bytes(random)].map(|bytes| Encoded::from_bytes(bytes.into()));
        let [Ok(first), Ok(second)] = taken else { return };
        let event = Event::new("b").with_event_type("u").unwrap().encoded();
        for order in [[&first, &second, &event], [&event, &first, &second], [&second, &event, &first]] {
            let alone: Vec<_> = order.iter().flat_map(|encoded| events(encoded.as_ref())).collect();
            let stream: Vec<u8> = order.iter().flat_map(|encoded| encoded.as_ref()).copied().collect();
            assert_eq!(events(&stream), alone);
        }
    });
}

#[test]
fn everything_that_is_written_can_be_encoded() {
    #[track_caller]
    fn check(encoded: &Encoded, expected: &str) {
        assert_eq!(encoded.as_ref(), expected.as_bytes());
        assert_eq!(encoded.clone().into_bytes(), expected);
        assert_eq!(Encoded::from_bytes(encoded.clone().into_bytes()).as_ref(), Ok(encoded));
    }
    check(&Event::new("a\nb").with_numeric_id(7).encoded(), "id: 7\ndata: a\ndata: b\n\n");
    check(&Encoded::from_bytes(Comment::new("\n").to_bytes()).unwrap(), ": \n: \n\n");
    check(&Block::default().with_retry(Duration::from_secs(1)).encoded(), "retry: 1000\n\n");
    check(&Block::default().with_event_type(EventType::new("ping").unwrap()).encoded(), "event: ping\n\n");
    check(&Block::default().encoded(), "\n");
}

#[test]
fn an_encoded_block_is_unchanged() {
    let encoded = Event::new("a").encoded();
    let place = encoded.as_ref().as_ptr();
    assert_eq!(Outgoing::from(encoded).into_bytes().as_ptr(), place);
    assert_eq!(Outgoing::from(Event::new("a")).into_bytes(), "data: a\n\n");
}
