//! Helpers for the tests of several workspace members: programs as child processes, and servers whose responses the
//! test writes.

#![allow(missing_docs, clippy::must_use_candidate, reason = "only tests use it")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod one_response;
mod process;
mod script;

pub use self::{
    one_response::{head, serve},
    process::{End, PATIENCE, Process},
    script::{Request, Script},
};
