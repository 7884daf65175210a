//! The tests that see the crate as its users do.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod counting_allocator;
mod decode_routes;
mod naive;
mod scripted_source;
mod stream_generator;

mod adapters;
#[cfg(all(feature = "http-body", not(miri)))]
mod body;
mod bounded;
mod bounds;
mod decoder;
mod differential;
mod encode;
mod errors;
mod fixtures;
#[cfg(feature = "json")]
mod json;
mod keep_alive;
mod laws;
mod limit;
mod linear;
mod memory;
mod read_chunks;
mod reconnect;
mod recordings;
#[cfg(feature = "json")]
mod typed;
