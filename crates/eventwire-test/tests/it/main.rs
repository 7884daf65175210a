//! The engine, seen from outside: over sockets by a reader that shares no line with it, and in memory.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod faults;
mod in_memory;
mod raw_reader;
mod requests;
mod server;
mod wire;
