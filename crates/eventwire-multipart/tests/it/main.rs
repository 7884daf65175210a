//! The tests that use the crate's public interface. Four modules are those of the crate `eventwire`.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../../../../tests/it/always_ready.rs"]
mod always_ready;
#[path = "../../../../tests/it/counting_allocator.rs"]
mod counting_allocator;
#[path = "../../../../tests/it/fixture_folder.rs"]
mod fixture_folder;
#[path = "../../../../tests/it/scripted_source.rs"]
#[allow(dead_code, reason = "other tests use the rest")]
mod scripted_source;
#[path = "../../../../tests/it/stream_generator.rs"]
#[allow(dead_code, reason = "other tests use the rest")]
mod stream_generator;

mod generator;
mod naive;
mod received;
mod rewritten;
mod routes;
mod text;

mod adapters;
mod at_once;
mod content_types;
mod encoder;
mod fixtures;
mod generated_streams;
#[cfg(feature = "json")]
mod json_parts;
mod round_trip;
mod work_and_memory;
