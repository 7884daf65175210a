//! An event or a block that is encoded and decoded again is the same: guarantees 9 and 10.

use crate::{
    decode_routes::twin_of,
    event_generator::{any_block, any_event, any_item, any_time},
    naive::{self, Item, Options},
    stream_generator::{any_cut, any_stream, cut},
};
use bytes::{Bytes, BytesMut};
use eventwire::{Block, BlockItem, BlockItemRef, BlockRef, Decoder, Event, EventRef, Outgoing, Position};
use proptest::{collection::vec, option, prelude::*, sample::select};
use std::time::Duration;

proptest! {
    #[test]
    fn a_decoded_event_is_the_encoded_one(event in any_event(), sizes in any_cut()) {
        let bytes = event.to_bytes();
        let expected = read_again(&event);
        prop_assert_eq!(decode(&cut(&bytes, &sizes)), vec![expected.clone()]);
        // A strict reader reads the same: the naive twin.
        let twin = naive::interpret(&bytes, &Options::default());
        prop_assert_eq!(twin.items, vec![(bytes.len(), Item::Event(twin_of(EventRef::from(&expected))))]);
        // The decoded event is encoded to the same bytes.
        prop_assert_eq!(expected.to_bytes(), decode(&[&bytes])[0].to_bytes());
    }

    #[test]
    fn borrowed_and_owned_are_encoded_alike(event in any_event(), time in option::of(any_time())) {
        let mut event = event;
        let text = event.clone();
        let mut borrowed = EventRef::new(text.data()).with_event_type(text.event_type()).unwrap();
        if text.has_id() {
            borrowed = borrowed.with_id(text.last_event_id()).unwrap();
        }
        if let Some(time) = time.or(text.retry()) {
            (borrowed, event) = (borrowed.with_retry(time), event.with_retry(time));
        }
        prop_assert_eq!(borrowed.retry(), event.retry());
        prop_assert_eq!(borrowed.to_bytes(), event.to_bytes());
        prop_assert_eq!(borrowed.to_event(), event.clone());
        let (mut by_borrowed, mut by_owned) = (BytesMut::new(), Vec::new());
        borrowed.encode(&mut by_borrowed);
        event.encode(&mut by_owned);
        prop_assert_eq!(by_borrowed, by_owned);
    }

    /// A block that is written and read back has the same four fields: exactly those that it has are written.
    #[test]
    fn a_decoded_block_has_the_fields_of_the_encoded_one(block in any_block(), sizes in any_cut()) {
        let bytes = block.to_bytes();
        prop_assert_eq!(&BlockRef::from(&block).to_block(), &block);
        prop_assert_eq!(&Outgoing::from(block.clone()).into_bytes(), &bytes);
        prop_assert_eq!(&block.encoded().into_bytes(), &bytes);

        let mut read = Vec::new();
        let (mut borrowed, mut owned) = (Decoder::new(), Decoder::new());
        for chunk in cut(&bytes, &sizes) {
            let (mut slice, mut input) = (chunk, Bytes::copy_from_slice(chunk));
            while let Some(item) = owned.decode_block_bytes(&mut input).expect("within the limit") {
                prop_assert_eq!(borrowed.decode_block(&mut slice).expect("within the limit"), Some((&item).into()));
                read.push(item);
            }
            prop_assert_eq!(borrowed.decode_block(&mut slice), Ok(None));
        }
        match &read[..] {
            [] => prop_assert_eq!(block, Block::default()),
            [BlockItem::Block(read)] => {
                prop_assert_eq!(read.event_type(), block.event_type());
                prop_assert_eq!(read.data().map(str::to_owned), block.data().map(with_lf));
                prop_assert_eq!((read.id(), read.retry()), (block.id(), block.retry()));
                prop_assert_eq!(read.to_bytes(), bytes);
                prop_assert_eq!(read.clone().into_event(), block.into_event().as_ref().map(read_again));
            }
            other => prop_assert!(false, "{other:?}"),
        }
    }

    /// Equal values are written as equal bytes, and what was read and is written as equal bytes is equal, unless its
    /// event inherits a different ID.
    #[test]
    fn equal_values_are_equal_bytes(lines in vec(select(&LINES[..]), 0..60)) {
        let (items, events) = read_all(lines.concat().as_bytes());
        for (a, b) in items.iter().flat_map(|a| items.iter().map(move |b| (a, b))) {
            let have_equal_bytes = a.to_bytes() == b.to_bytes();
            let [a, b] = [a, b].map(BlockRef::from);
            let is_same = have_equal_bytes && a.event() == b.event();
            prop_assert!(a != b || is_same, "{:?}, {:?}", a, b);
            prop_assert!(a == b || !is_same, "{:?}, {:?}", a, b);
            prop_assert_eq!(a == b, a.to_block() == b.to_block());
        }
        for (a, b) in events.iter().flat_map(|a| events.iter().map(move |b| (a, b))) {
            prop_assert_eq!(a == b, a.to_bytes() == b.to_bytes());
            prop_assert_eq!(EventRef::from(a) == EventRef::from(b), a == b);
            prop_assert_eq!(a == b, Block::from(a.clone()) == Block::from(b.clone()));
        }
    }

    #[test]
    fn a_stream_of_blocks_is_its_events(items in vec(any_item(), 0..8), sizes in any_cut()) {
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
        prop_assert_eq!(decode(&cut(&bytes, &sizes)), expected);
        let twin = naive::interpret(&bytes, &Options::default());
        prop_assert_eq!(twin.reconnection_time.map(Duration::from_millis), time);
    }

    /// The events of any stream can be sent again: an ID that was cleared stays cleared, and one that was never set
    /// stays unset.
    #[test]
    fn decoded_events_can_be_sent_again(stream in any_stream(), sizes in any_cut()) {
        let events = decode_all(&cut(&stream, &sizes));
        let sent_on: Vec<Bytes> = events.iter().map(Event::to_bytes).collect();
        prop_assert_eq!(decode(&[&sent_on.concat()]), events.clone());
        for (event, bytes) in events.iter().zip(&sent_on) {
            prop_assert_eq!(decode(&[bytes]), vec![event.clone()], "each separately");
        }
    }
}

/// Lines of streams that have many equal blocks.
const LINES: [&str; 12] = [
    "\n",
    "\n",
    "\n",
    "data: a\n",
    "data\n",
    "event: t\n",
    "event: message\n",
    "event\n",
    "id: 1\n",
    "id\n",
    "retry: 1\n",
    ": c\n",
];

/// Returns the blocks and the events of a stream.
fn read_all(stream: &[u8]) -> (Vec<Block>, Vec<Event>) {
    let (mut decoder, mut input, mut blocks) = (Decoder::new(), stream, Vec::new());
    while let Some(item) = decoder.decode_block(&mut input).expect("within the limit") {
        blocks.extend(item.block().map(|block| block.to_block()));
    }
    (blocks, decode_all(&[stream]))
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

/// Like `decode`, for a stream that may end anywhere.
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
