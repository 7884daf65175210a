//! The tests that see the crate as its users on wasm do. Most are those of `tests/it`.

#![cfg(target_arch = "wasm32")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

// For its `test`, which is all that makes the tests below run here.
#[macro_use]
extern crate eventwire_wasm;

#[path = "../../../it/decode_routes.rs"]
mod decode_routes;
#[path = "../../../it/naive.rs"]
mod naive;

#[path = "../../../it/decoder_state.rs"]
mod decoder_state;
mod driver_in_browser;
#[path = "../../../it/end_of_stream.rs"]
mod end_of_stream;
mod event_source;
mod fetch;
mod json;
mod multipart;
mod recipe;
#[path = "../../../it/reconnect/mod.rs"]
mod reconnect;
mod watch;
mod web;
