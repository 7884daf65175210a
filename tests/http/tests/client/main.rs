//! The reconnecting client, over real and over simulated connections.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod browser;
mod chance;
#[path = "../../../it/counting_allocator.rs"]
mod counting_allocator;
mod fake;
mod scenarios;
mod seen;
mod server;
mod timer;
mod watch;

mod answers;
mod blocks;
mod chromium;
mod decisions;
mod ends;
mod endurance;
mod first_connection;
mod handle;
mod life;
mod log;
mod memory_use;
mod ours;
mod panics;
mod refusals;
mod reports;
mod restart;
mod silence;
mod simulated;
mod trait_impls;
mod typed;

/// A proxy configured on the machine could not reach the servers of the tests.
fn http_client() -> reqwest::Client {
    reqwest::Client::builder().no_proxy().build().unwrap()
}
