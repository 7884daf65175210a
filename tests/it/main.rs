//! The tests that use the crate's public interface.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod always_ready;
mod counting_allocator;
mod decode_routes;
mod event_generator;
mod fixture_folder;
mod law;
mod manual_clock;
mod naive;
mod scripted_source;
mod stream_generator;

mod blocks;
mod decoder_state;
mod encoded;
mod encoded_bytes;
mod end_of_stream;
mod error_messages;
mod event_builder;
mod event_size_limit;
mod fixtures;
mod generated_streams;
mod idle_timeout;
mod ignored;
#[cfg(feature = "json")]
mod json;
#[cfg(feature = "json")]
mod json_recordings;
mod keep_alive;
mod laws;
mod linear_time;
mod lines;
mod memory;
mod progress_timeout;
mod read_chunks;
mod recordings;
mod round_trip;
mod source_adapters;
mod tap;
mod trait_impls;
mod turns;
#[cfg(feature = "http-body")]
mod until;
