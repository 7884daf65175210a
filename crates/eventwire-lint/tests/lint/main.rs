//! What is found, and that it is the same however a stream is split.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod agreement;
#[path = "../../docs/axum_handler.rs"]
mod axum_handler;
mod codes;
mod good;
mod servers;
mod splits;
mod streams;
mod times;
