//! Tests that use the crate like users on wasm do. Most of them are the tests of `tests/it`.

#![cfg(target_arch = "wasm32")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

// Its attribute `test` makes the tests below run here.
#[macro_use]
extern crate eventwire_wasm;

#[path = "../../../it/always_ready.rs"]
mod always_ready;
#[path = "../../../it/decode_routes.rs"]
mod decode_routes;
#[path = "../../../it/naive.rs"]
mod naive;

mod continued_answer;
#[path = "../../../it/decoder_state.rs"]
mod decoder_state;
#[path = "../../../it/end_of_stream.rs"]
mod end_of_stream;
mod fetch;
mod recipe;
#[path = "../../../../crates/eventwire-client/tests/reconnect/main.rs"]
mod reconnect;
mod routes;
mod watch;
mod web;

/// The version of reqwest under test.
use eventwire_reqwest as version;
