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
mod texts;

/// The version of reqwest under test.
use eventwire_reqwest::reqwest_0_12 as version;
