//! The proxy: from the library in this process, and its command line.

// Miri has no sockets.
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
