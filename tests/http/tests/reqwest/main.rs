//! The client over reqwest, on real connections: its requests, which ones are sent again, redirects, HTTP/2.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

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
mod tls;

/// The version of reqwest under test.
use eventwire_reqwest as version;
