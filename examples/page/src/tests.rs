//! Tests of the server and the client: from the library in this process, and as a program.

// Miri has no sockets.
#![cfg(not(miri))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod broken;
mod errors;
mod espeak;
mod feed;
mod leaving;
mod order;
mod page;
mod program;
mod reader;
mod relay;
mod talking;
mod whole;
