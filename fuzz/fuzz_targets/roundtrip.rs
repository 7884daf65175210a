//! Events that are encoded and decoded again are the same events, with any texts, and no others.
#![no_main]

use bytes::Bytes;
use eventwire::{Block, Comment, Decoder, Event};
use libfuzzer_sys::fuzz_target;
use std::time::Duration;

// UTF-8 never contains these bytes, so an input can use them as separators between arbitrary texts.
const END_OF_BLOCK: u8 = 0xFE;
const END_OF_TEXT: u8 = 0xFF;

fuzz_target!(|input: &[u8]| {
    let (mut stream, mut expected) = (Vec::new(), Vec::new());
    let mut last_id: Option<String> = None;
    for block in input.split(|byte| *byte == END_OF_BLOCK).map(block) {
        let before = stream.len();
        block.encode(&mut stream);
        assert_eq!(stream[before..], block.to_bytes());
        let Block::Event(event) = block else { continue };
        assert_eq!(stream.len() - before, event.encoded_len());
        let alone = decode(&stream[before..]);
        let read = read_again(&event, None);
        assert_eq!(alone, std::slice::from_ref(&read));
        assert_eq!(alone[0].to_bytes(), read.to_bytes(), "what was read is written as it was");
        if event.has_id() {
            last_id = Some(event.id().to_owned());
        }
        expected.push(read_again(&event, last_id.as_deref()));
    }
    assert_eq!(decode(&stream), expected);

    // The other way round: the events of any input stay the same when they are encoded and decoded again.
    let events = decode(input);
    let sent_on: Vec<u8> = events.iter().flat_map(Event::to_bytes).collect();
    assert_eq!(decode(&sent_on), events);
});

/// Reads texts for the data, the type, the ID and a number. Returns an event; or, if there is only a first text that
/// asks for it, a comment or a reconnection time.
fn block(input: &[u8]) -> Block {
    let mut texts = input.split(|byte| *byte == END_OF_TEXT).map(String::from_utf8_lossy);
    let data = texts.next().unwrap_or_default();
    let (event_type, id, time) = (texts.next(), texts.next(), texts.next());
    let time = time.map(|text| text.bytes().fold(0, |sum: u64, byte| sum.wrapping_mul(131).wrapping_add(byte.into())));
    match (&*data, &event_type, time) {
        ("retry", None, _) => return Block::Retry(Duration::from_millis(input.len() as u64)),
        (text, None, _) if text.starts_with('#') => return Comment::new(text).into(),
        _ => {}
    }
    let mut event = Event::new(&*data);
    if let Some(event_type) = event_type {
        event = match event.clone().with_event_type(&*event_type) {
            Ok(event) => event,
            Err(error) => {
                assert_eq!(("event", Some(error.offset())), (error.field(), event_type.find(['\n', '\r'])));
                event
            }
        };
    }
    if let Some(id) = id {
        event = match event.clone().with_id(&*id) {
            Ok(event) => event,
            Err(error) => {
                assert_eq!(("id", Some(error.offset())), (error.field(), id.find(['\n', '\r', '\0'])));
                event
            }
        };
    }
    match time {
        Some(time) => event.with_retry(Duration::from_nanos(time)),
        None => event,
    }
    .into()
}

/// Returns the event that a decoder reads: with LF for every line end in its data, and with the inherited ID.
fn read_again(event: &Event, last_id: Option<&str>) -> Event {
    let mut read = Event::new(event.data().replace("\r\n", "\n").replace('\r', "\n"));
    read = read.with_event_type(event.event_type()).expect("it was accepted before");
    if let Some(id) = last_id.or(event.has_id().then_some(event.id())) {
        read = read.with_id(id).expect("it was accepted before");
    }
    match event.retry() {
        Some(time) => read.with_retry(time),
        None => read,
    }
}

fn decode(stream: &[u8]) -> Vec<Event> {
    let (mut decoder, mut events) = (Decoder::new(), Vec::new());
    let mut input = Bytes::copy_from_slice(stream);
    while let Some(event) = decoder.decode_bytes(&mut input).expect("within the limit") {
        events.push(event);
    }
    events
}
