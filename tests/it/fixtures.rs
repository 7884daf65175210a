//! Every stream in `tests/fixtures` decodes to the events and blocks in the file next to it, which are written by hand.

use crate::{
    decode_routes::{self, Route},
    fixture_folder,
    naive::{self, Block, Event, Item, Options, Outcome, Scope},
};
use serde_json::Value;
use std::{collections::BTreeSet, fs};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures");
/// The minimum number of pairs. A folder with fewer is an error.
const LEAST_PAIRS: usize = 304;
/// The minimum number of those that list their blocks.
const LEAST_WITH_BLOCKS: usize = 8;

struct Fixture {
    name: String,
    stream: Vec<u8>,
    meaning: Meaning,
    /// The blocks and comments, if the file lists them.
    blocks: Option<Vec<Item>>,
}

/// An outcome without the places at which the events are returned, which the files do not contain.
#[derive(Debug, PartialEq)]
struct Meaning {
    events: Vec<Item>,
    last_event_id: String,
    reconnection_time: Option<u64>,
}

impl From<&Outcome> for Meaning {
    fn from(outcome: &Outcome) -> Meaning {
        Meaning {
            events: outcome.items.iter().map(|(_, item)| meant(item)).collect(),
            last_event_id: outcome.last_event_id.clone(),
            reconnection_time: outcome.reconnection_time,
        }
    }
}

/// Returns the item as the files contain it: without the difference between an ID that was never set and an empty one.
fn meant(item: &Item) -> Item {
    match item.clone() {
        Item::Event(event) => Item::Event(Event { id: Some(event.id.unwrap_or_default()), ..event }),
        other => other,
    }
}

fn fixtures() -> Vec<Fixture> {
    let names = fixture_folder::names(FOLDER, ".sse");
    assert!(names.len() >= LEAST_PAIRS, "{} pairs only", names.len());
    let read = |name: &str, extension| fs::read(format!("{FOLDER}/{name}.{extension}")).expect("a file of the folder");
    let fixture = |name: String| {
        let json = serde_json::from_slice(&read(&name, "json")).unwrap_or_else(|error| panic!("{name}: {error}"));
        let (meaning, blocks) = (meaning(&name, &json), blocks(&name, &json));
        Fixture { stream: read(&name, "sse"), meaning, blocks, name }
    };
    names.into_iter().map(fixture).collect()
}

fn meaning(name: &str, json: &Value) -> Meaning {
    let member = |object: &Value, key| object.get(key).unwrap_or_else(|| panic!("{name}: no {key:?}")).clone();
    let text = |object: &Value, key| {
        member(object, key).as_str().unwrap_or_else(|| panic!("{name}: {key:?} is text")).to_owned()
    };
    let number = |object: &Value, key| match member(object, key) {
        Value::Null => None,
        number => Some(number.as_u64().unwrap_or_else(|| panic!("{name}: {key:?} must be a 64-bit number"))),
    };
    let event = |event: &Value| {
        let (event_type, data, id) = (text(event, "type"), text(event, "data"), Some(text(event, "id")));
        Item::Event(Event { event_type, data, id, retry: number(event, "retry") })
    };
    assert!(!text(json, "description").is_empty(), "{name}: the description names the rule");
    Meaning {
        events: member(json, "events").as_array().expect("events").iter().map(event).collect(),
        last_event_id: text(json, "lastEventId"),
        reconnection_time: number(json, "reconnectionTime"),
    }
}

fn blocks(name: &str, json: &Value) -> Option<Vec<Item>> {
    let item = |item: &Value| match item.get("comment") {
        Some(text) => Item::Comment(text.as_str().unwrap_or_else(|| panic!("{name}: a comment is text")).to_owned()),
        None => {
            let text = |key| item.get(key)?.as_str().map(str::to_owned);
            let (event_type, data, id, retry) = (text("type"), text("data"), text("id"), item.get("retry"));
            Item::Block(Block { event_type, data, id, retry: retry.and_then(Value::as_u64), event: None })
        }
    };
    Some(json.get("blocks")?.as_array().expect("blocks").iter().map(item).collect())
}

/// Returns the places at which a stream is split in two. A short stream is split at every place. That takes quadratic
/// time, so a longer one is split where something begins or ends; at every `step`th place, an odd distance that does not
/// match patterns in the stream; and around a sample of the multiples of 64, where the scan for line ends moves from
/// one window to the next.
fn cuts(length: usize, step: usize) -> BTreeSet<usize> {
    const WHOLE: usize = 4096;
    if length <= WHOLE {
        return (0..=length).collect();
    }
    let windows = (0..length).step_by(32 * 64).flat_map(|window| [window.saturating_sub(1), window, window + 1]);
    let sample = (0..length).step_by(step);
    (0..300).chain(length - 300..=length).chain(sample).chain(windows).filter(|&place| place <= length).collect()
}

#[test]
fn every_route_yields_the_expected_events() {
    for Fixture { name, stream, meaning, .. } in fixtures() {
        let options = Options::default();
        // The twin adds the places at which the events are returned.
        let expected = naive::interpret(&stream, &options);
        assert_eq!(Meaning::from(&expected), meaning, "{name}: the naive twin");

        let bytes: Vec<&[u8]> = stream.chunks(1).collect();
        for (route_name, route) in decode_routes::ALL {
            let whole = route(&[&stream], &options);
            assert_eq!(Meaning::from(&whole), meaning, "{name}: {route_name}, unsplit");
            assert_eq!(whole, expected, "{name}: {route_name}, unsplit");
            assert_eq!(route(&bytes, &options), expected, "{name}: {route_name}, byte by byte");
        }
    }
}

#[test]
fn every_route_yields_the_expected_blocks() {
    let options = Options { scope: Scope::Blocks, ..Options::default() };
    let mut count = 0;
    for Fixture { name, stream, blocks, .. } in fixtures() {
        let Some(blocks) = blocks else { continue };
        count += 1;
        let expected = naive::interpret(&stream, &options);
        let found = expected.items.iter().map(|(_, item)| match item.clone() {
            // The file lists the events separately.
            Item::Block(block) => Item::Block(Block { event: None, ..block }),
            other => other,
        });
        assert_eq!(found.collect::<Vec<_>>(), blocks, "{name}: the naive twin");
        decode_routes::check(&[&stream], &options, &expected);
        for place in cuts(stream.len(), 499) {
            let (head, tail) = stream.split_at(place);
            decode_routes::check(&[head, b"", tail], &options, &expected);
        }
    }
    assert!(count >= LEAST_WITH_BLOCKS, "{count} only");
}

#[test]
fn split_in_two_they_mean_the_same() {
    for Fixture { name, stream, .. } in fixtures() {
        let options = Options::default();
        let expected = decode_routes::borrowed(&[&stream], &options);
        for (route_name, route, step) in
            [("borrowed", decode_routes::borrowed as Route, 13), ("stream", decode_routes::asynchronous, 499)]
        {
            for place in cuts(stream.len(), step) {
                let (head, tail) = stream.split_at(place);
                assert_eq!(route(&[head, b"", tail], &options), expected, "{name}: {route_name}, split at {place}");
            }
        }
    }
}

#[test]
fn the_readme_names_them_all() {
    fixture_folder::check_readme(FOLDER, ".sse");
}
