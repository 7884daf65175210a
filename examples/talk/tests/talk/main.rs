//! The server and its reader: from the library in this process, and as a program.

// Miri has no sockets.
#![cfg(not(miri))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod broken;
mod errors;
mod espeak;
mod leaving;
mod order;
mod program;
mod reader;
mod talking;
mod whole;
