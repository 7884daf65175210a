//! What a reader gets, and the events that are sent.

use crate::{hubs::topic, violation::Violation};
use eventwire::Event;
use eventwire_hub::StreamPosition;

/// An item of a reader's stream, as far as it concerns one topic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Item {
    Opening(StreamPosition),
    Event { at: StreamPosition, number: u64 },
    Gap { at: StreamPosition, missed: Option<u64> },
}

/// Creates an event that has a number, and in which each lost or additional byte is seen.
pub(crate) fn event(number: u64, padding: usize) -> Event {
    Event::new(format!("{number} {padding} {}", "x".repeat(padding)))
}

impl Item {
    /// Reads a block of a stream of these topics, whose reader was told the positions `told` before. Returns the topic
    /// that it concerns, as its index, and the item: the opening concerns all of them. What a hub does not send is
    /// unreadable.
    pub(crate) fn read(
        block: &[u8],
        topics: &[usize],
        told: &[Option<StreamPosition>],
    ) -> Result<Vec<(usize, Item)>, Violation> {
        let text = String::from_utf8_lossy(block);
        try_read(&text, topics, told).ok_or_else(|| Violation::Unreadable(format!("{text:.100?}, after {told:?}")))
    }
}

fn try_read(block: &str, topics: &[usize], told: &[Option<StreamPosition>]) -> Option<Vec<(usize, Item)>> {
    let lines: Vec<_> = block.strip_suffix("\n\n")?.split('\n').collect();
    let id = lines.iter().find_map(|line| line.strip_prefix("id: "))?;
    let positions = positions(id, topics)?;
    if let [_] = lines[..] {
        return Some(positions.into_iter().map(Item::Opening).enumerate().collect());
    }
    // It moves the reader in one topic.
    let moves = |index: &usize| topics.len() == 1 || told[*index] != Some(positions[*index]);
    let moved: Vec<_> = (0..topics.len()).filter(moves).collect();
    let [index] = moved[..] else { return None };
    let at = positions[index];
    let item = match lines[..] {
        ["event: gap", _, data] => {
            let fields = data.strip_prefix("data: {")?.strip_suffix('}')?;
            let name = if topics.len() > 1 { format!("\"topic\":\"{}\"", topic(topics[index])) } else { String::new() };
            let missed = match fields.strip_prefix(&name)?.trim_start_matches(',') {
                "" => None,
                missed => Some(missed.strip_prefix("\"missed\":")?.parse().ok()?),
            };
            Item::Gap { at, missed }
        }
        [_, data] => {
            let number = data.strip_prefix("data: ")?.split(' ').next()?.parse().ok()?;
            let padding = data.bytes().rev().take_while(|byte| *byte == b'x').count();
            let expected = event(number, padding).to_bytes();
            (expected == format!("{data}\n\n")).then_some(Item::Event { at, number })?
        }
        _ => return None,
    };
    Some(vec![(index, item)])
}

/// Reads an ID, which names each topic if there are several.
fn positions(id: &str, topics: &[usize]) -> Option<Vec<StreamPosition>> {
    if let [_] = topics {
        return Some(vec![id.parse().ok()?]);
    }
    let positions: Vec<_> = id.split(',').collect();
    if positions.len() != topics.len() {
        return None;
    }
    let named = positions.into_iter().zip(topics);
    named.map(|(at, number)| at.strip_prefix(&format!("{}=", topic(*number)))?.parse().ok()).collect()
}

#[test]
fn items() {
    let at = StreamPosition::new(7, 3);
    let read = |text: String| Item::read(text.as_bytes(), &[1], &[None]).map(|items| items[0]);
    assert_eq!(read(format!("id: {at}\n\n")), Ok((0, Item::Opening(at))));
    assert_eq!(read(format!("event: gap\nid: {at}\ndata: {{}}\n\n")), Ok((0, Item::Gap { at, missed: None })));
    let gap = format!("event: gap\nid: {at}\ndata: {{\"missed\":4}}\n\n");
    assert_eq!(read(gap), Ok((0, Item::Gap { at, missed: Some(4) })));
    for padding in [0, 3] {
        let event = String::from_utf8(event(5, padding).to_bytes().into()).unwrap();
        assert_eq!(read(format!("id: {at}\n{event}")), Ok((0, Item::Event { at, number: 5 })));
        assert!(read(event.clone()).is_err());
        assert!(read(format!("id: {at}\n{}", event.replacen(' ', " 1", 2))).is_err());
    }
}

#[test]
fn items_of_two_topics() {
    let at = |sequence| StreamPosition::new(7, sequence);
    let read = |text: &str, [a, b]: [u64; 2]| {
        let text = text.replace("ID", &format!("t0={},t1={}", at(a), at(b)));
        Item::read(text.as_bytes(), &[0, 1], &[Some(at(1)), Some(at(2))])
    };
    assert_eq!(read("id: ID\n\n", [3, 4]), Ok(vec![(0, Item::Opening(at(3))), (1, Item::Opening(at(4)))]));
    assert_eq!(read("id: ID\ndata: 5 0 \n\n", [1, 3]), Ok(vec![(1, Item::Event { at: at(3), number: 5 })]));
    let gap = "event: gap\nid: ID\ndata: {\"topic\":\"t1\",\"missed\":4}\n\n";
    assert_eq!(read(gap, [1, 6]), Ok(vec![(1, Item::Gap { at: at(6), missed: Some(4) })]));
    assert!(read(gap, [5, 2]).is_err(), "the other topic");
    let gap = "event: gap\nid: ID\ndata: {\"topic\":\"t0\"}\n\n";
    assert_eq!(read(gap, [6, 2]), Ok(vec![(0, Item::Gap { at: at(6), missed: None })]));
    assert!(read("id: ID\ndata: 5 0 \n\n", [2, 3]).is_err(), "both topics");
}
