//! The reconnecting client, over real and over simulated connections.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod asked;
mod browser;
mod chance;
#[path = "../../../it/counting_allocator.rs"]
mod counting_allocator;
mod fake;
mod scenarios;
mod seen;
mod timer;
mod trace;
mod watch;

mod answers;
mod blocks;
mod chromium;
mod decisions;
mod endurance;
mod floods;
mod handle;
mod life;
mod log;
mod memory_use;
mod next;
mod ours;
mod panics;
mod refusals;
mod reports;
mod restart;
mod simulated;
mod trait_impls;

/// A proxy configured on the machine could not reach the servers of the tests.
fn http_client() -> reqwest::Client {
    reqwest::Client::builder().no_proxy().build().unwrap()
}
