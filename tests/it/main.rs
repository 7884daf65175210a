//! The tests that see the crate as its users do.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod allocations;
mod naive;
mod routes;
mod sources;
mod streams;

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
