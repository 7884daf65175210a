//! The tests of `Hub`, with logs whose answers the tests decide, and with a paused clock.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../../../../tests/it/counting_allocator.rs"]
mod counting_allocator;
mod items;
mod script;

mod broken_logs;
mod chance;
mod cost;
mod failures;
mod gaps;
mod interleavings;
mod large_pages;
mod limits;
mod merged;
mod sending;
mod unknown_topics;

use eventwire_hub::{Hub, Resume, Topic};
use script::Script;

/// The topic of tests with one.
fn topic() -> Topic {
    Topic::new("t").unwrap()
}

/// A log of epoch 7 with these numbered events, and a hub.
fn hub(events: u64) -> (Script, Hub<Script>) {
    let log = Script::new();
    log.begin(&topic(), 7);
    (1..=events).for_each(|_| _ = log.push(&topic()));
    (log.clone(), Hub::new(log))
}

/// Continues after an event of epoch 7.
fn after(sequence: u64) -> Resume<'static> {
    after_id(&format!("0000000000000007-{sequence}"))
}

fn after_id(id: &str) -> Resume<'static> {
    Resume::After(id.as_bytes().to_vec().into())
}
