//! Tests the proxy: as a library in this process, and its command line.

// Miri does not support sockets.
#![cfg(not(miri))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod broken;
mod errors;
mod exact;
mod leaving;
mod measured;
mod passed_on;
mod program;
mod proxied;
mod slow_reader;
