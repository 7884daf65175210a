//! The message in the body of an error response.

use js_sys::{JSON, Reflect};

/// Returns the message of an error in the format of OpenAI's API, `{"error":{"message":".."}}`. It is not part of a
/// stream, so the browser parses its JSON.
pub(crate) fn error_message(body: &[u8]) -> Option<String> {
    let body = JSON::parse(str::from_utf8(body).ok()?).ok()?;
    let error = Reflect::get(&body, &"error".into()).ok()?;
    Reflect::get(&error, &"message".into()).ok()?.as_string()
}
