//! The client over reqwest 0.12.

#![cfg(target_arch = "wasm32")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

#[macro_use]
extern crate eventwire_wasm;

#[path = "../../tests/it/fetch.rs"]
mod fetch;
#[path = "../../tests/it/watch.rs"]
mod watch;

/// The version of reqwest under test.
use eventwire_reqwest::reqwest_0_12 as version;
