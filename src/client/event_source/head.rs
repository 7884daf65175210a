//! The head of a response.

use alloc::boxed::Box;
use http::{HeaderMap, StatusCode, response::Parts};

/// The status and the headers of a response whose body is an event stream.
///
/// It is as large as a pointer, so that no event pays for it.
#[derive(Debug)]
pub struct Head(Box<Parts>);

impl Head {
    pub(super) fn new(parts: Parts) -> Head {
        Head(Box::new(parts))
    }

    /// The status.
    #[must_use]
    pub fn status(&self) -> StatusCode {
        self.0.status
    }

    /// The headers.
    #[must_use]
    pub fn headers(&self) -> &HeaderMap {
        &self.0.headers
    }

    /// All that the connector has said of the response: its version and its extensions, too.
    #[must_use]
    pub fn parts(&self) -> &Parts {
        &self.0
    }

    /// All that the connector has said of the response.
    #[must_use]
    pub fn into_parts(self) -> Parts {
        *self.0
    }
}
