//! Event streams over the requests of one version of reqwest.
//!
//! `reqwest_0_13.rs` and `reqwest_0_12.rs` both include this folder, so each of its files is compiled once for each
//! version. Two names differ between the versions, and both come from the including file:
//!
//! * `super::reqwest` is the version of reqwest. Imports are relative for that reason, because a path that begins with
//!   `crate` would lead to one of the two.
//! * `import!("Item")` is the line of an example that imports an item of this crate.
//!
//! What contains no type of reqwest is outside of this folder, and exists once.

use super::reqwest;

#[cfg(not(all(target_arch = "wasm32", any(target_os = "unknown", target_os = "none"))))]
mod client_builder;
mod from_fn;
/// The differences between sockets and browsers.
#[cfg_attr(all(target_arch = "wasm32", any(target_os = "unknown", target_os = "none")), path = "browser.rs")]
#[cfg_attr(not(all(target_arch = "wasm32", any(target_os = "unknown", target_os = "none"))), path = "sockets.rs")]
mod platform;
#[cfg(not(all(target_arch = "wasm32", any(target_os = "unknown", target_os = "none"))))]
mod redirects;
mod request_builder_ext;
mod request_connector;
mod request_error;
mod request_with_redirects;
mod response_ext;
mod send;

/// Types that other items of this crate return, or use as associated types. You rarely need to name them.
pub mod adapters {
    pub use super::platform::{Chunks, Sending};
    #[cfg(feature = "json")]
    #[doc(no_inline)]
    pub use eventwire_client::adapters::OpenedLines;
    #[cfg(feature = "multipart")]
    #[doc(no_inline)]
    pub use eventwire_client::adapters::OpenedParts;
    #[doc(no_inline)]
    pub use eventwire_client::adapters::{RequestFn, ResponseOpening, SourceEventStream, UntilError};
}

#[cfg(not(all(target_arch = "wasm32", any(target_os = "unknown", target_os = "none"))))]
pub use self::client_builder::client_builder;
pub use self::{
    from_fn::from_fn,
    request_builder_ext::{RequestBuilderExt, RequestEventSource},
    request_connector::RequestConnector,
    request_error::RequestError,
    request_with_redirects::RequestWithRedirects,
    response_ext::ResponseExt,
};
