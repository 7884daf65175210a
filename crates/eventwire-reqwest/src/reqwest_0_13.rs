//! The requests of reqwest 0.13. The root of the crate re-exports what is public here.

use ::reqwest;

/// The line of an example that imports an item.
macro_rules! import {
    ($item:literal) => {
        concat!("use eventwire_reqwest::", $item, ";")
    };
}

#[path = "requests/mod.rs"]
mod requests;

pub use self::requests::*;
