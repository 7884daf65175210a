//! Runs the examples `gateway` and `chat` as a user does: what is answered and printed, and how it ends.

// Miri cannot start processes.
#![cfg(not(miri))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test says by a panic that it failed")]

mod chat;
mod client;
mod errors;
mod events;
mod keys;
#[path = "../tail/process.rs"]
#[expect(dead_code, reason = "the tests of `tail` use the rest")]
mod process;
mod program;
#[path = "../tail/server.rs"]
mod server;
mod streams;
mod whole;
