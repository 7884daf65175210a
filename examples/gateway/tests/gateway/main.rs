//! The gateway: its answers, from the library in this process, and the program.

// Miri does not support sockets.
#![cfg(not(miri))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod answers;
mod client;
mod hosts;
mod program;
mod refusals;
mod script;
