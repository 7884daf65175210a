//! Generates events and texts for them, with many characters that have a meaning in an event stream.

use eventwire::{Block, Comment, Event};
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

pub(crate) fn any_block() -> impl Strategy<Value = Block> {
    prop_oneof![
        4 => any_event().prop_map(Block::Event),
        1 => any_text().prop_map(|text| Block::Comment(Comment::new(text))),
        1 => any_time().prop_map(Block::Retry),
    ]
}
