//! Helpers for tests of logs: servers of Redis and Postgres, a proxy in front of them, and what every log promises.

#![allow(missing_docs, clippy::must_use_candidate, reason = "only tests use it")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

pub mod calls;
pub mod laws;
pub mod postgres_server;
pub mod proxy;
mod redis_server;
mod small_disk;
mod temp_folder;

pub use self::{
    postgres_server::PostgresServer, redis_server::RedisServer, small_disk::SmallDisk, temp_folder::TempFolder,
};

use std::net::{Ipv4Addr, TcpListener};

/// A port on loopback. Another process could take it before it is used, but the system does not soon give it out again.
pub fn free_port() -> u16 {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap().port()
}
