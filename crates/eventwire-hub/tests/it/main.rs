//! The tests that use the crate's public interface.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../../../../tests/it/counting_allocator.rs"]
mod counting_allocator;
mod naive;
mod reader;

mod errors;
mod law;
mod merged;
mod rows;
mod twin;
mod waking;
mod work_and_memory;
