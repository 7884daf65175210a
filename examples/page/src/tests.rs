//! Tests of the server over HTTP.

// Miri has no sockets.
#![cfg(not(miri))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod asking;
mod broken;
mod errors;
mod feed;
mod leaving;
mod order;
mod relay;
mod site;
mod whole;
