//! Every stream in `tests/fixtures` decodes to the events written beside it by hand.

use crate::{
    decode_routes, fixture_folder,
    naive::{self, Item, Options, Outcome},
};
use serde_json::Value;
use std::{collections::BTreeSet, fs};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures");
/// A folder that has become emptier than this is a mistake, not a success.
const LEAST_PAIRS: usize = 120;

struct Fixture {
    name: String,
    stream: Vec<u8>,
    meaning: Meaning,
}

/// An outcome, but for the places at which the events come out: the files do not say them.
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

/// The item, without what the expected events do not say.
fn meant(item: &Item) -> Item {
    match item.clone() {
        Item::Event { event_type, data, id, retry, .. } => {
            Item::Event { event_type, data, id, has_own_id: false, retry }
        }
        other => other,
    }
}

fn fixtures() -> Vec<Fixture> {
    let names = fixture_folder::names(FOLDER, ".sse");
    assert!(names.len() >= LEAST_PAIRS, "{} pairs only", names.len());
    let read = |name: &str, extension| fs::read(format!("{FOLDER}/{name}.{extension}")).expect("a file of the folder");
    let fixture = |name: String| {
        let json = serde_json::from_slice(&read(&name, "json")).unwrap_or_else(|error| panic!("{name}: {error}"));
        Fixture { stream: read(&name, "sse"), meaning: meaning(&name, &json), name }
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
        number => Some(number.as_u64().unwrap_or_else(|| panic!("{name}: {key:?} is a number of 64 bits"))),
    };
    let event = |event: &Value| Item::Event {
        event_type: text(event, "type"),
        data: text(event, "data"),
        id: text(event, "id"),
        has_own_id: false,
        retry: number(event, "retry"),
    };
    assert!(!text(json, "description").is_empty(), "{name}: says which rule it shows");
    Meaning {
        events: member(json, "events").as_array().expect("events").iter().map(event).collect(),
        last_event_id: text(json, "lastEventId"),
        reconnection_time: number(json, "reconnectionTime"),
    }
}

/// Where a stream is cut in two: at every place of a short one. The cost is the square of the length, so that a
/// longer one is cut where something begins or ends, at a sample of places between, which the odd distance keeps from
/// falling into step with the stream, and around a sample of the multiples of 64, where the scan for line ends goes
/// from one window to the next.
fn cuts(length: usize) -> BTreeSet<usize> {
    const WHOLE: usize = 4096;
    if length <= WHOLE {
        return (0..=length).collect();
    }
    let windows = (0..length).step_by(32 * 64).flat_map(|window| [window.saturating_sub(1), window, window + 1]);
    let sample = (0..length).step_by(499);
    (0..300).chain(length - 300..=length).chain(sample).chain(windows).filter(|&place| place <= length).collect()
}

#[test]
fn every_route_gives_the_meaning() {
    for Fixture { name, stream, meaning } in fixtures() {
        let options = Options::default();
        // The twin adds the places at which the events come out.
        let expected = naive::interpret(&stream, &options);
        assert_eq!(Meaning::from(&expected), meaning, "{name}: the naive twin");

        let bytes: Vec<&[u8]> = stream.chunks(1).collect();
        for (route_name, route) in decode_routes::ALL {
            let whole = route(&[&stream], &options);
            assert_eq!(Meaning::from(&whole), meaning, "{name}: {route_name}, whole");
            assert_eq!(whole, expected, "{name}: {route_name}, whole");
            assert_eq!(route(&bytes, &options), expected, "{name}: {route_name}, byte by byte");
        }
    }
}

#[test]
fn cut_in_two_anywhere_they_mean_the_same() {
    for Fixture { name, stream, meaning } in fixtures() {
        let options = Options::default();
        let expected = decode_routes::borrowed(&[&stream], &options);
        assert_eq!(Meaning::from(&expected), meaning, "{name}: whole");
        for place in cuts(stream.len()) {
            let (head, tail) = stream.split_at(place);
            let chunks = [head, b"", tail];
            assert_eq!(decode_routes::borrowed(&chunks, &options), expected, "{name}: borrowed, cut at {place}");
            assert_eq!(decode_routes::asynchronous(&chunks, &options), expected, "{name}: stream, cut at {place}");
        }
    }
}

/// The long ones too, by one route, at the cost of some forty billion bytes.
#[test]
fn cut_in_two_at_every_place_they_mean_the_same() {
    for Fixture { name, stream, .. } in fixtures() {
        let options = Options::default();
        let expected = decode_routes::borrowed(&[&stream], &options);
        for place in 0..=stream.len() {
            let (head, tail) = stream.split_at(place);
            assert_eq!(decode_routes::borrowed(&[head, tail], &options), expected, "{name}: cut at {place}");
        }
    }
}

#[test]
fn the_readme_names_them_all() {
    fixture_folder::check_readme(FOLDER, ".sse");
}
