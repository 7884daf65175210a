//! The tests of `main.rs` over reqwest 0.12, without TLS.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

extern crate reqwest_0_12 as reqwest;

mod client_builder;
mod cuts;
mod followed_redirects;
mod open;
mod raw_http2;
mod redirects;
mod refused_streams;
mod requests;
mod resend;
mod reuse;
mod runs;
#[path = "../client/server.rs"]
#[allow(dead_code, reason = "other tests use the rest")]
mod server;
mod texts;

/// The version of reqwest under test.
use eventwire_reqwest::reqwest_0_12 as version;
