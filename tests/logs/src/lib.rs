//! Helpers for tests of logs: a server of Redis, a proxy in front of it, and what every log promises.

#![allow(missing_docs, clippy::must_use_candidate, reason = "only tests use it")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

pub mod calls;
pub mod laws;
pub mod proxy;
mod redis_server;
mod temp_folder;

pub use self::{redis_server::RedisServer, temp_folder::TempFolder};
