//! Helpers for the tests of several workspace members: programs as child processes, and what a script of
//! `eventwire-test` cannot do.

#![allow(missing_docs, clippy::must_use_candidate, reason = "only tests use it")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod by_hand;
mod process;

pub use self::{
    by_hand::by_hand,
    process::{End, PATIENCE, Process},
};
