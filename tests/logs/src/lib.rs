//! Helpers for tests of logs: servers of Redis and Postgres, a proxy in front of them, and what every log promises.

#![allow(missing_docs, clippy::must_use_candidate, reason = "only tests use it")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

pub mod calls;
pub mod laws;
pub mod postgres_server;
pub mod proxy;
mod redis_server;
mod temp_folder;

pub use self::{postgres_server::PostgresServer, redis_server::RedisServer, temp_folder::TempFolder};
