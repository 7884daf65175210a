//! The file of the documentation, as `build.rs` changes it.

#![allow(clippy::result_large_err, reason = "the file allows it, but `build.rs` has to remove such a line")]

include!(concat!(env!("OUT_DIR"), "/lib.rs"));
