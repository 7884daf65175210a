//! The tests that see the crate as its users do.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod allocations;
mod naive;
mod routes;
mod sources;
mod streams;

mod adapters;
mod bounded;
mod bounds;
mod decoder;
mod differential;
mod encode;
mod errors;
mod fixtures;
mod laws;
mod limit;
mod linear;
mod memory;
mod read_chunks;
mod recordings;
