//! Generates events and texts for them, with many characters that have a meaning in an event stream.

use crate::stream_generator::Random;
use eventwire::{Block, BlockItem, Comment, Event, EventId, EventType};
use std::time::Duration;

/// The parts of generated texts, most of which have a meaning in an event stream.
#[rustfmt::skip]
const PARTS: &[&str] = &[
    "\n", "\n", "\r", "\r\n", "\n\n", "\r\r", "\r\n\r\n", "\n\r", " ", "  ", ":", ": ", "\0", "\u{FEFF}",
    "\u{2028}", "\u{85}", "\u{B}\u{C}", "a", "b", "\u{E9}", "\u{1F600}", "message", "data", "data: x",
    "\ndata: x\n\n", "id: 9", "\nid: 9", "\revent: u", "\r\nretry: 1\r\n", "event",
];

pub(crate) fn any_text(random: &mut Random) -> String {
    if random.below(5) < 4 {
        random.list(8, |random| random.one_of(PARTS)).concat()
    } else {
        random.list(20, any_char).into_iter().collect()
    }
}

/// A letter, or any character.
pub(crate) fn any_char(random: &mut Random) -> char {
    if random.coin() { char::from_u32(random.number() % 0x11_0000).unwrap_or('\u{FFFD}') } else { 'a' }
}

fn any_event_type(random: &mut Random) -> EventType {
    any_text(random).replace(['\r', '\n'], "").parse().expect("one line")
}

fn any_id(random: &mut Random) -> EventId {
    any_text(random).replace(['\r', '\n', '\0'], "").parse().expect("one line without NUL")
}

pub(crate) fn any_time(random: &mut Random) -> Duration {
    match random.below(5) {
        0 | 1 => Duration::from_millis(random.below(10_000) as u64),
        2 | 3 => Duration::from_nanos(u64::from(random.number()) * u64::from(random.number())),
        _ => Duration::MAX,
    }
}

pub(crate) fn any_event(random: &mut Random) -> Event {
    let data = any_text(random);
    any_block(random).with_data(data).into_event().expect("it has data")
}

/// Any combination of the four fields.
pub(crate) fn any_block(random: &mut Random) -> Block {
    let mut block = Block::default();
    if let Some(data) = random.maybe(any_text) {
        block = block.with_data(data);
    }
    if let Some(event_type) = random.maybe(any_event_type) {
        block = block.with_event_type(event_type);
    }
    if let Some(id) = random.maybe(any_id) {
        block = block.with_id(id);
    }
    if let Some(time) = random.maybe(any_time) {
        block = block.with_retry(time);
    }
    block
}

pub(crate) fn any_item(random: &mut Random) -> BlockItem {
    match random.below(5) {
        0..4 => BlockItem::Block(any_block(random)),
        _ => BlockItem::Comment(Comment::new(any_text(random))),
    }
}
