//! The driver against a server that follows a script and records the requests, by tokio's paused clock: a second POST
//! would be billed. And the program.

// Miri supports neither processes nor sockets.
#![cfg(not(miri))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod program;
mod questions;
mod server;
