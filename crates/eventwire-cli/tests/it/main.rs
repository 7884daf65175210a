//! Runs the program `eventwire`. The tests of `eventwire serve` are a program of their own, because they open a thousand
//! connections.

// Miri cannot start processes.
#![cfg(not(miri))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod check;
mod cli;
mod record;
