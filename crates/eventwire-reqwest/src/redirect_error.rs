//! A redirect that cannot be followed.

use std::{error::Error, fmt};

/// A redirect whose `Location` cannot be requested, such as `http://[::1`, a port of 99999, or a `data:` URL.
///
/// It is the [source](Error::source) of the `reqwest::Error` of such an attempt. As [Fetch] has it, it counts as a network error: the
/// event source reconnects, as after a lost connection. A redirect without a `Location` is a response like any other, and refused.
///
/// [Fetch]: https://fetch.spec.whatwg.org/#http-redirect-fetch
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RedirectError {
    location: String,
}

impl RedirectError {
    #[cfg_attr(all(target_arch = "wasm32", any(target_os = "unknown", target_os = "none")), expect(dead_code))]
    pub(crate) fn new(location: String) -> RedirectError {
        RedirectError { location }
    }

    /// Where the redirect leads, as the server wrote it. What is not UTF-8 is replaced by U+FFFD.
    #[must_use]
    pub fn location(&self) -> &str {
        &self.location
    }
}

impl fmt::Display for RedirectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Escaped, because the server may write anything there.
        write!(f, "cannot follow the redirect to {:?}", self.location)
    }
}

impl Error for RedirectError {}
