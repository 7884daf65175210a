//! Headers, converted between Rust and JavaScript.
//!
//! In JavaScript a value is a [byte string]: each character is the byte with its number. So text that is not ASCII
//! is passed as its bytes in UTF-8, as in a browser's own `EventSource`.
//!
//! [byte string]: https://webidl.spec.whatwg.org/#idl-ByteString

use crate::FetchError;
use http::{HeaderMap, HeaderName, HeaderValue};
use js_sys::Array;
use std::{fmt, mem};
use wasm_bindgen::JsCast;
use web_sys::Headers;

/// The headers of a request, as text. The browser checks them, so that the page need not contain code for that.
#[derive(Clone, Default)]
pub(crate) struct RequestHeaders(Vec<(String, String)>);

impl RequestHeaders {
    pub(crate) fn push(&mut self, name: &str, value: &str) {
        self.0.push((name.to_owned(), value.to_owned()));
    }

    pub(crate) fn contains(&self, name: &str) -> bool {
        self.0.iter().any(|(other, _)| other.eq_ignore_ascii_case(name))
    }

    /// Removes a header, and returns its first value.
    pub(crate) fn remove(&mut self, name: &str) -> Option<String> {
        let mut first = None;
        self.0.retain_mut(|(other, value)| {
            let is_kept = !other.eq_ignore_ascii_case(name);
            if !is_kept {
                first.get_or_insert_with(|| mem::take(value));
            }
            is_kept
        });
        first
    }

    pub(crate) fn to_javascript(&self) -> Result<Headers, FetchError> {
        let list = Headers::new().map_err(|error| FetchError::invalid_request(&error))?;
        for (name, value) in &self.0 {
            let value: String = value.bytes().map(char::from).collect();
            // Not the browser's message, which may contain the value: that may be a secret.
            list.append(name, &value).map_err(|_| {
                FetchError::invalid_request(&["the header ", name, " has an invalid name or value"].concat().into())
            })?;
        }
        Ok(list)
    }
}

/// Prints only the names: a value may be a secret.
impl fmt::Debug for RequestHeaders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|(name, _)| name)).finish()
    }
}

/// Returns the headers that the crate `http` accepts, which are all that a browser passes on. If the body was
/// encoded, the browser has decoded it. So `Content-Encoding` is omitted, and so is `Content-Length`, which counts
/// the encoded bytes.
pub(crate) fn from_response(list: &Headers) -> HeaderMap {
    let mut headers = HeaderMap::new();
    let mut is_decoded = false;
    for entry in Array::from(list) {
        let entry: Array = entry.unchecked_into();
        let (Some(name), Some(value)) = (entry.get(0).as_string(), entry.get(1).as_string()) else { continue };
        // The entries are sorted by name.
        match &*name {
            "content-encoding" => {
                is_decoded = true;
                continue;
            }
            "content-length" if is_decoded => continue,
            _ => {}
        }
        let value: Vec<u8> = value.chars().map(|char| u8::try_from(char).unwrap_or(b'?')).collect();
        // The names are in lower case. `from_bytes` would add 700 bytes to a page, gzipped.
        if let (Ok(name), Ok(value)) = (HeaderName::from_lowercase(name.as_bytes()), HeaderValue::try_from(value)) {
            headers.append(name, value);
        }
    }
    headers
}
