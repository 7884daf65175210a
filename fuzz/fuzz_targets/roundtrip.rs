//! Blocks and events that are encoded and decoded again are the same, with any texts, and no others.
#![no_main]

use bytes::Bytes;
use eventwire::{Block, BlockItem, BlockItemRef, Comment, Decoder, Event, EventId, EventRef, EventType};
use libfuzzer_sys::fuzz_target;
use std::time::Duration;

// UTF-8 never contains these bytes, so an input can use them as separators between arbitrary texts.
const END_OF_BLOCK: u8 = 0xFE;
const END_OF_TEXT: u8 = 0xFF;

fuzz_target!(|input: &[u8]| {
    let (mut stream, mut expected) = (Vec::new(), Vec::new());
    let mut last_id: Option<String> = None;
    for item in input.split(|byte| *byte == END_OF_BLOCK).map(item) {
        let before = stream.len();
        BlockItemRef::from(&item).encode(&mut stream);
        match item {
            BlockItem::Comment(_) => assert!(decode(&stream[before..]).is_empty()),
            BlockItem::Block(block) => {
                same_fields(&block, &stream[before..]);
                last_id = block.id().map(str::to_owned).or(last_id);
                expected.extend(block.into_event().map(|event| read_again(&event, last_id.as_deref())));
            }
        }
    }
    assert_eq!(decode(&stream), expected);

    // The other way round: the events of any input stay the same when they are encoded and decoded again.
    let events = decode(input);
    let sent_on: Vec<u8> = events.iter().flat_map(Event::to_bytes).collect();
    assert_eq!(decode(&sent_on), events);
});

/// A block that is written and read back has the same four fields, and so has its event.
fn same_fields(block: &Block, bytes: &[u8]) {
    assert_eq!(block.to_bytes(), bytes);
    let (mut decoder, mut input) = (Decoder::new(), bytes);
    let read = decoder.decode_block(&mut input).expect("within the limit").and_then(|item| item.block());
    let read = read.map(|block| block.to_block()).unwrap_or_default();
    assert_eq!((read.event_type(), read.id(), read.retry()), (block.event_type(), block.id(), block.retry()));
    assert_eq!(read.data(), block.data().map(with_lf).as_deref());
    assert_eq!(read.to_bytes(), bytes, "what was read is written as it was");
    assert_eq!(decoder.decode_block(&mut input), Ok(None));

    let events: Vec<Event> = block.event().map(|event| event.to_event()).into_iter().collect();
    let written: Vec<u8> = events.iter().flat_map(Event::to_bytes).collect();
    let expected: Vec<Event> = events.iter().map(|event| read_again(event, None)).collect();
    assert_eq!(decode(&written), expected);
    assert_eq!(decode(bytes), expected);
    assert!(events.iter().all(|event| EventRef::from(event).to_bytes() == written));
}

/// Reads texts for the data, the type, the ID and a number. Returns a block; or, if there is only a first text that
/// asks for it, a block without data or a comment.
fn item(input: &[u8]) -> BlockItem {
    let mut texts = input.split(|byte| *byte == END_OF_TEXT).map(String::from_utf8_lossy);
    let data = texts.next().unwrap_or_default();
    let (event_type, id, time) = (texts.next(), texts.next(), texts.next());
    if event_type.is_none() && data.starts_with('#') {
        return BlockItem::Comment(Comment::new(&*data));
    }
    let mut block = Block::default();
    if !data.starts_with('-') {
        block = block.with_data(&*data);
    }
    if let Some(event_type) = event_type {
        block = match event_type.parse::<EventType>() {
            Ok(event_type) => block.with_event_type(event_type),
            Err(error) => {
                assert_eq!(("event", Some(error.offset())), (error.field(), event_type.find(['\n', '\r'])));
                block
            }
        };
    }
    if let Some(id) = id {
        block = match id.parse::<EventId>() {
            Ok(id) => block.with_id(id),
            Err(error) => {
                assert_eq!(("id", Some(error.offset())), (error.field(), id.find(['\n', '\r', '\0'])));
                block
            }
        };
    }
    if let Some(text) = time {
        let time = text.bytes().fold(0, |sum: u64, byte| sum.wrapping_mul(131).wrapping_add(byte.into()));
        block = block.with_retry(Duration::from_nanos(time));
    }
    BlockItem::Block(block)
}

fn with_lf(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

/// Returns the event that a decoder reads: with LF for every line end in its data, and with the inherited ID.
fn read_again(event: &Event, last_id: Option<&str>) -> Event {
    let mut read = Event::new(with_lf(event.data()));
    read = read.with_event_type(event.event_type()).expect("it was accepted before");
    if let Some(id) = last_id.or(event.has_id().then_some(event.last_event_id())) {
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
