//! How many of eventwire's fixtures each crate passes: the figures of the README and of `results.md`.
//!
//! A crate passes a fixture if its stream of events returns the right ones, however the bytes are split. The type,
//! data and ID of each event are compared. `retry` is not, nor when an event is returned, because the crates report
//! these in too many ways or not at all. Different representations of the same fact are treated as equal:
//!
//! * A missing or empty type is `message`. A missing or empty ID is no ID.
//! * sse-stream documents that an event has only the ID of its own block. The ID is carried over here, as a user would
//!   do. Its blocks without data are not events.
//! * An error alone does not fail a fixture. Polling continues after it.
//!
//! Each crate has its default settings; no fixture comes near any of its limits.

use std::{
    fs,
    panic::{self, AssertUnwindSafe},
    path::PathBuf,
};

use bytes::Bytes;
use eventwire_rivals::consume;
use futures_util::stream::Stream;
use serde_json::Value;
use sse_core::SseEvent;

/// The type, data and ID.
type Event = (String, String, String);

#[test]
fn eventwire() {
    check(304, 262, |chunks| {
        events(chunks, eventwire::Events::new(consume::stream(chunks)), |event| {
            Some(told(event.event_type(), event.data(), event.last_event_id()))
        })
    });
}

#[test]
fn eventsource_stream() {
    check(249, 246, |chunks| {
        events(chunks, eventsource_stream::EventStream::new(consume::stream(chunks)), |event| {
            Some(told(&event.event, &event.data, &event.id))
        })
    });
}

#[test]
fn sse_core() {
    check(304, 262, |chunks| {
        events(chunks, sse_core::SseStream::new(consume::stream(chunks)), |event| match event {
            SseEvent::Message(event) => {
                Some(told(&event.event, &event.data, event.last_event_id.as_deref().unwrap_or_default()))
            }
            SseEvent::Retry(_) => None,
        })
    });
}

#[test]
fn sse_stream() {
    check(272, 262, |chunks| {
        let mut last_event_id = String::new();
        events(chunks, sse_stream::SseByteStream::new(consume::stream(chunks)), |block| {
            if let Some(id) = block.id {
                last_event_id = id;
            }
            Some(told(&block.event.unwrap_or_default(), &block.data?, &last_event_id))
        })
    });
}

#[test]
fn sseer() {
    check(272, 261, |chunks| {
        events(chunks, sseer::EventStream::new(consume::stream(chunks)), |event| {
            Some(told(&event.event, &event.data, &event.id))
        })
    });
}

#[test]
fn sse_parse() {
    check(304, 262, |chunks| {
        events(chunks, sse_parse::EventStream::new(consume::stream(chunks)), |event| {
            Some(told(&event.event, &event.data, &event.id))
        })
    });
}

/// Compares the number of fixtures passed, and of those among them that are valid UTF-8.
#[track_caller]
fn check(passed: usize, of_utf8: usize, read: impl Fn(&[Bytes]) -> Vec<Event>) {
    let fixtures = fixtures();
    let passes = |fixture: &&Fixture| {
        splits(&fixture.stream).iter().all(|chunks| {
            // A rival's panic is a result.
            let events = panic::catch_unwind(AssertUnwindSafe(|| read(chunks)));
            events.is_ok_and(|events| events == fixture.events)
        })
    };
    let (right, wrong): (Vec<&Fixture>, Vec<&Fixture>) = fixtures.iter().partition(passes);
    // Shown by `cargo test -- --nocapture`.
    wrong.iter().for_each(|fixture| println!("not passed: {}", fixture.name));
    let right_utf8 = right.iter().filter(|fixture| str::from_utf8(&fixture.stream).is_ok()).count();
    assert_eq!((right.len(), right_utf8, fixtures.len()), (passed, of_utf8, 304));
}

struct Fixture {
    name: String,
    stream: Bytes,
    events: Vec<Event>,
}

fn fixtures() -> Vec<Fixture> {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures"));
    let paths = fs::read_dir(folder).expect("the fixtures").map(|entry| entry.expect("a file").path());
    let streams = paths.filter(|path| path.extension().is_some_and(|extension| extension == "sse"));
    let fixture = |path: PathBuf| {
        let json: Value =
            serde_json::from_slice(&fs::read(path.with_extension("json")).expect("events")).expect("JSON");
        let events = json["events"].as_array().expect("events").iter().map(|event| {
            let text = |key: &str| event[key].as_str().unwrap_or_else(|| panic!("{path:?}: no {key}")).to_owned();
            (text("type"), text("data"), text("id"))
        });
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        Fixture { name, events: events.collect(), stream: fs::read(&path).expect("a stream").into() }
    };
    streams.map(fixture).collect()
}

/// The ways to split a stream: not at all, byte by byte, and in two at each place. A longer stream is split in pieces
/// of a packet's size, because some crates take quadratic time.
fn splits(stream: &Bytes) -> Vec<Vec<Bytes>> {
    let pieces =
        |size| (0..stream.len()).step_by(size).map(|at| stream.slice(at..stream.len().min(at + size))).collect();
    if stream.len() > 4096 {
        return vec![vec![stream.clone()], pieces(1460)];
    }
    let in_two = (1..stream.len()).map(|place| vec![stream.slice(..place), stream.slice(place..)]);
    [vec![stream.clone()], pieces(1)].into_iter().chain(in_two).collect()
}

/// Reads a stream to its end, or until it has returned more items than possible.
fn events<T, E>(
    chunks: &[Bytes],
    stream: impl Stream<Item = Result<T, E>>,
    mut told: impl FnMut(T) -> Option<Event>,
) -> Vec<Event> {
    let most_items = chunks.iter().map(Bytes::len).sum::<usize>() + 8;
    let (mut events, mut items) = (Vec::new(), 0);
    let _ = consume::poll_each(stream, |item| {
        events.extend(item.ok().and_then(&mut told));
        items += 1;
        if items < most_items { Ok(()) } else { Err("it would not end".to_owned()) }
    });
    events
}

fn told(event_type: &str, data: &str, id: &str) -> Event {
    let event_type = if event_type.is_empty() { "message" } else { event_type };
    (event_type.to_owned(), data.to_owned(), id.to_owned())
}
