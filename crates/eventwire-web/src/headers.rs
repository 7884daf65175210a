//! Headers, between the crate `http` and JavaScript.
//!
//! In JavaScript a value is a [byte string]: each character stands for the byte of its number. So text that is not ASCII goes through as its
//! bytes in UTF-8, as in a browser's own `EventSource`.
//!
//! [byte string]: https://webidl.spec.whatwg.org/#idl-ByteString

use crate::FetchError;
use http::{HeaderMap, HeaderName, HeaderValue};
use js_sys::Array;
use wasm_bindgen::JsCast;
use web_sys::Headers;

pub(crate) fn to_javascript(headers: &HeaderMap) -> Result<Headers, FetchError> {
    let list = Headers::new().map_err(|error| FetchError::invalid_request(&error))?;
    for (name, value) in headers {
        let value: String = value.as_bytes().iter().copied().map(char::from).collect();
        list.append(name.as_str(), &value).map_err(|error| FetchError::invalid_request(&error))?;
    }
    Ok(list)
}

/// Those that the crate `http` takes, which are all that a browser passes on.
pub(crate) fn from_javascript(list: &Headers) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for entry in list.entries().into_iter().flatten() {
        let Ok(entry) = entry.dyn_into::<Array>() else { continue };
        let (Some(name), Some(value)) = (entry.get(0).as_string(), entry.get(1).as_string()) else { continue };
        let value: Vec<u8> = value.chars().map(|char| u8::try_from(char).unwrap_or(b'?')).collect();
        if let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::try_from(value)) {
            headers.append(name, value);
        }
    }
    headers
}
