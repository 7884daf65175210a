//! Multipart streams over HTTP, and between us and other senders and readers.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod folder;
mod server;

mod body;
mod chromium;
mod ffmpeg;
mod graphql;

/// A proxy of the machine's would not find the servers of the tests.
fn http_client() -> reqwest::Client {
    reqwest::Client::builder().no_proxy().build().unwrap()
}
