//! The gateway: its answers, from the library in this process, and its command line.

// Miri does not support sockets.
#![cfg(not(miri))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod client;
mod errors;
mod events;
mod hosts;
mod keys;
mod program;
mod script;
mod streams;
mod whole;
