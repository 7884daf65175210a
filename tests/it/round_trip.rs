//! An event or a block that is encoded and decoded again is the same: guarantees 9 and 10.

use crate::{
    decode_routes::twin_of,
    event_generator::{any_block, any_event, any_item},
    law,
    naive::{self, Item, Options},
    stream_generator::cut,
};
use bytes::{Bytes, BytesMut};
use eventwire::{Block, BlockItem, BlockItemRef, BlockRef, Decoder, Event, EventRef, Outgoing, Position};
use std::{slice, time::Duration};

#[test]
fn a_decoded_event_is_the_encoded_one() {
    law::check(256, |random| {
        let (event, sizes) = (any_event(random), random.cut());
        let bytes = event.to_bytes();
        let expected = read_again(&event);
        assert_eq!(decode(&cut(&bytes, &sizes)), slice::from_ref(&expected));
        // A strict reader reads the same: the naive twin.
        let twin = naive::interpret(&bytes, &Options::default());
        assert_eq!(twin.items, [(bytes.len(), Item::Event(twin_of(EventRef::from(&expected))))]);
        // The decoded event is encoded to the same bytes.
        assert_eq!(expected.to_bytes(), decode(&[&bytes])[0].to_bytes());
    });
}

#[test]
fn borrowed_and_owned_are_encoded_alike() {
    law::check(256, |random| {
        let event = any_event(random);
        let mut borrowed = EventRef::new(event.data()).with_event_type(event.event_type()).unwrap();
        if event.has_id() {
            borrowed = borrowed.with_id(event.last_event_id()).unwrap();
        }
        if let Some(time) = event.retry() {
            borrowed = borrowed.with_retry(time);
        }
        assert_eq!(borrowed.to_bytes(), event.to_bytes());
        assert_eq!(borrowed.to_event(), event);
        let (mut by_borrowed, mut by_owned) = (BytesMut::new(), Vec::new());
        borrowed.encode(&mut by_borrowed);
        event.encode(&mut by_owned);
        assert_eq!(by_borrowed, by_owned);
    });
}

/// A block that is written and read back has the same four fields: exactly those that it has are written.
#[test]
fn a_decoded_block_has_the_fields_of_the_encoded_one() {
    law::check(256, |random| {
        let (block, sizes) = (any_block(random), random.cut());
        let bytes = block.to_bytes();
        assert_eq!(BlockRef::from(&block).to_block(), block);
        assert_eq!(Outgoing::from(block.clone()).into_bytes(), bytes);
        assert_eq!(block.encoded().into_bytes(), bytes);
        match &decode_blocks(&cut(&bytes, &sizes))[..] {
            [] => assert_eq!(block, Block::default()),
            [BlockItem::Block(read)] => {
                assert_eq!(read.event_type(), block.event_type());
                assert_eq!(read.data().map(str::to_owned), block.data().map(with_lf));
                assert_eq!((read.id(), read.retry()), (block.id(), block.retry()));
                assert_eq!(read.to_bytes(), bytes);
                assert_eq!(read.clone().into_event(), block.into_event().as_ref().map(read_again));
            }
            other => panic!("{other:?}"),
        }
    });
}

/// Equal values are written as equal bytes, and what was read and is written as equal bytes is equal, unless its
/// event inherits a different ID.
#[test]
fn equal_values_are_equal_bytes() {
    law::check(256, |random| {
        let stream = random.list(60, |random| random.one_of(LINES)).concat();
        let items = decode_blocks(&[stream.as_bytes()]);
        let blocks: Vec<_> = items.iter().filter_map(|item| BlockItemRef::from(item).block()).collect();
        for (a, b) in blocks.iter().flat_map(|a| blocks.iter().map(move |b| (a, b))) {
            let is_same = a.to_block().to_bytes() == b.to_block().to_bytes() && a.event() == b.event();
            assert_eq!(a == b, is_same, "{a:?}, {b:?}");
            assert_eq!(a == b, a.to_block() == b.to_block());
        }
        let events = decode(&[stream.as_bytes(), b"\n\n"]);
        for (a, b) in events.iter().flat_map(|a| events.iter().map(move |b| (a, b))) {
            assert_eq!(a == b, a.to_bytes() == b.to_bytes());
            assert_eq!(EventRef::from(a) == EventRef::from(b), a == b);
            assert_eq!(a == b, Block::from(a.clone()) == Block::from(b.clone()));
        }
    });
}

#[test]
fn a_stream_of_blocks_is_its_events() {
    law::check(256, |random| {
        let (sizes, items) = (random.cut(), random.list(8, any_item));
        let mut bytes = Vec::new();
        items.iter().for_each(|item| BlockItemRef::from(item).encode(&mut bytes));
        let mut id: Option<String> = None;
        let mut expected = Vec::new();
        let mut time = None;
        for item in &items {
            let BlockItem::Block(block) = item else { continue };
            // An ID applies until another one is set.
            id = block.id().map(str::to_owned).or(id);
            time = block.retry().or(time);
            if let Some(event) = block.clone().into_event() {
                let event = read_again(&event);
                expected.push(id.as_ref().map_or(event.clone(), |id| event.with_id(id.as_str()).unwrap()));
            }
        }
        assert_eq!(decode(&cut(&bytes, &sizes)), expected);
        let twin = naive::interpret(&bytes, &Options::default());
        assert_eq!(twin.reconnection_time.map(Duration::from_millis), time);
    });
}

/// The events of any stream can be sent again: an ID that was cleared stays cleared, and one that was never set
/// stays unset.
#[test]
fn decoded_events_can_be_sent_again() {
    law::check(256, |random| {
        let (stream, sizes) = (random.stream(), random.cut());
        let events = decode(&cut(&[&stream[..], b"\n\n"].concat(), &sizes));
        let sent_on: Vec<Bytes> = events.iter().map(Event::to_bytes).collect();
        assert_eq!(decode(&[&sent_on.concat()]), events);
        for (event, bytes) in events.iter().zip(&sent_on) {
            assert_eq!(decode(&[bytes]), slice::from_ref(event), "each separately");
        }
    });
}

/// Lines of streams that have many equal blocks.
#[rustfmt::skip]
const LINES: &[&str] = &[
    "\n", "\n", "\n", "data: a\n", "data\n", "event: t\n", "event: message\n", "event\n", "id: 1\n", "id\n",
    "retry: 1\n", ": c\n",
];

/// Returns the items of a stream, which both ways to decode agree on.
fn decode_blocks(chunks: &[&[u8]]) -> Vec<BlockItem> {
    let (mut borrowed, mut owned, mut items) = (Decoder::new(), Decoder::new(), Vec::new());
    for chunk in chunks {
        let (mut slice, mut input) = (*chunk, Bytes::copy_from_slice(chunk));
        while let Some(item) = owned.decode_block_bytes(&mut input).expect("within the limit") {
            assert_eq!(borrowed.decode_block(&mut slice), Ok(Some((&item).into())));
            items.push(item);
        }
        assert_eq!(borrowed.decode_block(&mut slice), Ok(None));
    }
    items
}

fn with_lf(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

/// Returns the event that a decoder reads: with LF for every line end in its data.
fn read_again(event: &Event) -> Event {
    let mut read = Event::new(with_lf(event.data())).with_event_type(event.event_type()).expect("checked before");
    if event.has_id() {
        read = read.with_id(event.last_event_id()).expect("checked before");
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
    assert_eq!(decoder.position(), Position::BetweenBlocks, "encoded events are complete");
    events
}
