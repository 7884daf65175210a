//! What the tests of several members share: programs as child processes, and servers whose answers the test writes.

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
