//! Runs the program: what it answers, and what readers notice when it is ended and started again.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod answers;
mod client;
mod program;
mod readme;
mod restarts;
