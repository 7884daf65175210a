//! What the tests of several members share: programs as child processes, and a server for one request.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod one_response;
mod process;

pub use self::{
    one_response::{head, serve},
    process::{End, PATIENCE, Process},
};
