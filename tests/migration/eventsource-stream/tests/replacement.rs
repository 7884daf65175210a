//! The replacement alone: it has the API of the original, and decodes the fixtures as the standard specifies.

use eventsource_stream::{Event, EventStream, EventStreamError, Eventsource};
use futures_util::{FutureExt, StreamExt, TryStreamExt, stream};
use std::{convert::Infallible, fs, future::Future, pin::pin, time::Duration};

fn ready<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    loop {
        // The sources never wait, but other tasks get a turn.
        if let Some(output) = future.as_mut().now_or_never() {
            return output;
        }
    }
}

#[test]
fn a_seeded_id_stays() {
    let mut events = stream::iter([Ok::<_, Infallible>(b"data: a\n\nid: 8\ndata: b\n\n")]).eventsource();
    events.set_last_event_id("7");
    assert_eq!(events.last_event_id(), "7");
    let ids: Vec<String> = ready(events.by_ref().map_ok(|event| event.id).try_collect()).expect("events");
    assert_eq!(ids, ["7", "8"]);
    assert_eq!(events.last_event_id(), "8");

    events.set_last_event_id("9\n"); // no stream can set it
    assert_eq!(events.last_event_id(), "8");
}

#[test]
fn each_kind_of_item_is_that_of_the_original() {
    let large = format!("data: {}\n\n", "x".repeat(16 << 20));
    let chunks = [Ok("retry: 7\ndata: a\n\n"), Ok(&large), Ok("data: b\n\n"), Err("reset"), Ok("data: c\n\ndata: d")];
    let mut events = EventStream::new(stream::iter(chunks));
    let mut next = || ready(events.next());

    let first =
        Event { event: "message".into(), data: "a".into(), id: String::new(), retry: Some(Duration::from_millis(7)) };
    assert_eq!(next(), Some(Ok(first)));
    let error = next().expect("an item").expect_err("a limit");
    assert!(matches!(error, EventStreamError::Parser(_)), "{error:?}");
    let text = error.to_string();
    assert!(
        text.starts_with("Parse error: ") && text.contains("event is larger than the limit of 16777216 bytes"),
        "{text}"
    );
    assert_eq!(next().expect("an item").expect("an event").data, "b");
    let error = next().expect("an item").expect_err("the source's");
    assert_eq!((error.to_string().as_str(), error), ("Transport error: reset", EventStreamError::Transport("reset")));
    assert_eq!(next().expect("an item").expect("an event").data, "c");
    assert_eq!(next(), None);
    assert_eq!(next(), None);
}

#[test]
fn the_page_shows_this_package() {
    let page = include_str!("../../../../src/migration.rs");
    let manifest = include_str!("../Cargo.toml");
    let of_this_place = ["#", "publish", "[lib]", "path", "doctest", "test", "eventwire ="];
    for line in manifest
        .lines()
        .take_while(|&line| line != "[dev-dependencies]")
        .filter(|line| !of_this_place.iter().any(|start| line.starts_with(start)))
    {
        assert!(page.contains(format!("//! {line}").trim_end()), "{line}");
    }
    for line in include_str!("../../Cargo.toml").lines().skip_while(|&line| line != "[patch.crates-io]").take(2) {
        assert!(page.contains(&format!("//! {line}\n")), "{line}");
    }
}

/// The original passes 249 of them, by `cargo test` in `benches/rivals`.
#[test]
fn all_fixtures_pass() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures");
    let files = fs::read_dir(folder).expect("the fixtures").map(|entry| entry.expect("a file").path());
    let streams: Vec<_> = files.filter(|path| path.extension().is_some_and(|extension| extension == "sse")).collect();
    assert!(streams.len() >= 304, "{} fixtures only", streams.len());
    for path in streams {
        let stream = fs::read(&path).expect("a stream");
        let json = fs::read(path.with_extension("json")).expect("what it means");
        let due: Meaning = serde_json::from_slice(&json).expect("JSON");
        for chunk in [stream.len(), 1] {
            let events = EventStream::new(stream::iter(stream.chunks(chunk.max(1)).map(Ok::<_, Infallible>)));
            let events: Vec<Event> = ready(events.try_collect()).expect("events");
            let events =
                events.into_iter().map(|event| Dispatched { r#type: event.event, data: event.data, id: event.id });
            assert_eq!(events.collect::<Vec<_>>(), due.events, "{}", path.display());
        }
    }
}

#[derive(serde::Deserialize)]
struct Meaning {
    events: Vec<Dispatched>,
}

#[derive(Debug, PartialEq, serde::Deserialize)]
struct Dispatched {
    r#type: String,
    data: String,
    id: String,
}
