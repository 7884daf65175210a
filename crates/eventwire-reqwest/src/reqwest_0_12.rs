//! The same for reqwest 0.12: a program that uses this version imports from this module what it would import from the
//! [root of the crate](crate) for 0.13. The names are the same, and all that is said there holds here.
//!
//! ```no_run
//! # use reqwest_0_12 as reqwest;
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use eventwire_reqwest::reqwest_0_12::RequestBuilderExt;
//!
//! let request = reqwest::Client::new().get("https://example.com/events");
//! let mut events = request.eventsource()?.events();
//! while let Some(event) = events.next().await {
//!     println!("{}", event?.data());
//! }
//! # Ok(())
//! # }
//! ```

use ::reqwest_0_12 as reqwest;

/// The line of an example that imports an item.
macro_rules! import {
    ($item:literal) => {
        concat!("# use reqwest_0_12 as reqwest;\nuse eventwire_reqwest::reqwest_0_12::", $item, ";")
    };
}

#[path = "requests/mod.rs"]
mod requests;

pub use self::requests::*;
