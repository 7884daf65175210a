//! The file of the documentation, as `build.rs` changes it.

include!(concat!(env!("OUT_DIR"), "/lib.rs"));
