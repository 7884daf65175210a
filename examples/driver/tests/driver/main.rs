//! The driver against a server that does what a script says, and counts what it would bill; and the program.

// Miri cannot start processes, nor use sockets.
#![cfg(not(miri))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod cut_off;
mod outcome;
mod program;
mod refused;
mod server;
mod silence;
mod whole;
