//! The program, as processes: one by itself, and two on one Redis.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod answers;
mod app;
mod chromium;
mod processes;
mod program;
mod reader;
mod refusals;
mod shutdown;
mod topics;
