#![doc = include_str!("../docs/serving-many.md")]
//!
//! # What a reader gets
//!
#![doc = include_str!("../docs/what-a-reader-gets.md")]
