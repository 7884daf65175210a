//! Tests the driver against a server that follows a script and counts what it would bill. Tests the program too.

// Miri supports neither processes nor sockets.
#![cfg(not(miri))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod cut_off;
mod outcome;
mod program;
mod refused;
mod server;
mod silence;
mod whole;
