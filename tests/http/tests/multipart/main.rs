//! Multipart streams over HTTP, also with senders and readers of other projects.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod folder;
mod server;

mod body;
mod chromium;
mod ffmpeg;
mod graphql;

/// A proxy configured on the machine could not reach the servers of the tests.
fn http_client() -> reqwest::Client {
    reqwest::Client::builder().no_proxy().build().unwrap()
}
