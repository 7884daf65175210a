//! Why a request could not be sent, or its body could not be read.

use std::{error::Error, fmt};
use wasm_bindgen::JsValue;

/// The error of a request: there is no response, or its body failed or is larger than a limit.
///
/// It prints the browser's message, for example `Failed to fetch`. Browsers hide the reason from pages on purpose: a
/// refused connection, an unknown host and a missing CORS header all look the same. The browser's console has more
/// information.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FetchError {
    kind: Kind,
    message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    InvalidRequest,
    Aborted,
    Network,
    Hidden,
    TooLarge,
}

impl FetchError {
    pub(crate) fn invalid_request(error: &JsValue) -> FetchError {
        FetchError { kind: Kind::InvalidRequest, message: message(error) }
    }

    pub(crate) fn aborted(error: &JsValue) -> FetchError {
        FetchError { kind: Kind::Aborted, message: message(error) }
    }

    pub(crate) fn network(error: &JsValue) -> FetchError {
        FetchError { kind: Kind::Network, message: message(error) }
    }

    /// The response is opaque.
    pub(crate) fn hidden() -> FetchError {
        FetchError { kind: Kind::Hidden, message: "its mode is `no-cors`".into() }
    }

    pub(crate) fn too_large() -> FetchError {
        FetchError { kind: Kind::TooLarge, message: "it is larger than the limit".into() }
    }

    /// Returns whether the request is not valid and cannot be sent: the URL, the method, a header or a combination
    /// of settings. Retrying is pointless, so it stops an event source.
    #[must_use]
    pub fn is_invalid_request(&self) -> bool {
        self.kind == Kind::InvalidRequest
    }

    /// Returns whether the [signal](crate::Request::with_signal) of the request was aborted. This stops an event
    /// source.
    #[must_use]
    pub fn is_aborted(&self) -> bool {
        self.kind == Kind::Aborted
    }

    /// Returns whether the body is larger than the limit of [`Body::bytes`](crate::Body::bytes).
    #[must_use]
    pub fn is_too_large(&self) -> bool {
        self.kind == Kind::TooLarge
    }

    /// Returns whether retrying is pointless.
    pub(crate) fn is_permanent(&self) -> bool {
        matches!(self.kind, Kind::InvalidRequest | Kind::Aborted | Kind::Hidden)
    }
}

/// Returns the message of a thrown error, or a thrown text.
fn message(error: &JsValue) -> String {
    // Not by the class: `DOMException` is an `Error` in browsers, but not in all hosts.
    let message = js_sys::Reflect::get(error, &"message".into()).ok().and_then(|message| message.as_string());
    let message = message.or_else(|| error.as_string()).unwrap_or_default();
    if message.is_empty() { "no reason given".into() } else { message }
}

impl fmt::Display for FetchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.kind {
            Kind::InvalidRequest => "the request is not valid: ",
            Kind::Aborted => "the request was aborted: ",
            Kind::Network => "the request failed: ",
            Kind::Hidden => "the browser hides the response: ",
            Kind::TooLarge => "the body cannot be read: ",
        })?;
        f.write_str(&self.message)
    }
}

impl Error for FetchError {}
