//! Generates events and texts for them, with many characters that have a meaning in an event stream.

use eventwire::{Block, BlockItem, Comment, Event, EventId, EventType};
use proptest::{collection::vec, option, prelude::*, sample::select};
use std::time::Duration;

/// The parts of generated texts, most of which have a meaning in an event stream.
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

pub(crate) fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![4 => vec(select(PARTS), 0..8).prop_map(|parts| parts.concat()), 1 => any::<String>()]
}

pub(crate) fn any_time() -> impl Strategy<Value = Duration> {
    prop_oneof![
        (0..10_000_u64).prop_map(Duration::from_millis),
        any::<u64>().prop_map(Duration::from_nanos),
        Just(Duration::MAX)
    ]
}

/// The type and ID are a text without the characters that are rejected there.
pub(crate) fn any_event() -> impl Strategy<Value = Event> {
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

/// Any combination of the four fields.
pub(crate) fn any_block() -> impl Strategy<Value = Block> {
    (option::of(any_text()), option::of(any_text()), option::of(any_text()), option::of(any_time())).prop_map(
        |(event_type, data, id, retry)| {
            let mut block = Block::default();
            if let Some(event_type) = event_type {
                block =
                    block.with_event_type(EventType::try_new(event_type.replace(['\r', '\n'], "")).expect("one line"));
            }
            if let Some(data) = data {
                block = block.with_data(data);
            }
            if let Some(id) = id {
                let id = EventId::try_new(id.replace(['\r', '\n', '\0'], ""));
                block = block.with_id(id.expect("one line without NUL"));
            }
            retry.map_or(block.clone(), |time| block.with_retry(time))
        },
    )
}

pub(crate) fn any_item() -> impl Strategy<Value = BlockItem> {
    prop_oneof![
        4 => any_block().prop_map(BlockItem::Block),
        1 => any_text().prop_map(|text| BlockItem::Comment(Comment::new(text))),
    ]
}
