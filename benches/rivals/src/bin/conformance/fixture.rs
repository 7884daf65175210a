//! The fixtures in the tests of eventwire.

use bytes::Bytes;
use serde_json::Value;
use std::{fs, path::PathBuf};

/// The minimum number of fixtures: a folder with fewer is an error.
const LEAST: usize = 296;

pub(crate) struct Fixture {
    pub(crate) name: String,
    pub(crate) stream: Bytes,
    pub(crate) events: Vec<Event>,
}

impl Fixture {
    pub(crate) fn is_utf8(&self) -> bool {
        str::from_utf8(&self.stream).is_ok()
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Event {
    event_type: String,
    data: String,
    id: String,
}

impl Event {
    /// A missing type is `message`.
    pub(crate) fn new(event_type: &str, data: &str, id: &str) -> Event {
        let event_type = if event_type.is_empty() { "message" } else { event_type };
        Event { event_type: event_type.to_owned(), data: data.to_owned(), id: id.to_owned() }
    }
}

/// Returns all fixtures, sorted by name. They are never dropped, because a decoder that hangs keeps using its
/// fixture.
pub(crate) fn all() -> &'static [Fixture] {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures"));
    let mut streams: Vec<PathBuf> = fs::read_dir(folder)
        .expect("the fixtures")
        .map(|entry| entry.expect("a file").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "sse"))
        .collect();
    assert!(streams.len() >= LEAST, "{} fixtures only", streams.len());
    streams.sort();
    streams.into_iter().map(read).collect::<Vec<_>>().leak()
}

fn read(path: PathBuf) -> Fixture {
    let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
    let stream = Bytes::from(fs::read(&path).expect("a stream"));
    let json = fs::read(path.with_extension("json")).expect("what it means");
    let json: Value = serde_json::from_slice(&json).unwrap_or_else(|error| panic!("{name}: {error}"));
    let text = |event: &Value, key: &str| event[key].as_str().unwrap_or_else(|| panic!("{name}: no {key}")).to_owned();
    let events = json["events"].as_array().unwrap_or_else(|| panic!("{name}: no events"));
    let events = events
        .iter()
        .map(|event| Event { event_type: text(event, "type"), data: text(event, "data"), id: text(event, "id") })
        .collect();
    Fixture { name, stream, events }
}
