//! The error message in a response that is not an event stream.

use std::str;

use eventwire_client::Refusal;
use serde_json::Value;

use crate::print::one_line;

/// How many characters of the message are printed: a sentence or two.
const LONGEST: usize = 200;

/// Returns the server's error message on one line, without a full stop at its end, because more follows. Returns `None`
/// if the body is empty, binary, or an HTML page.
pub(crate) fn reason(refusal: &Refusal) -> Option<String> {
    let message = match message(refusal) {
        Some(message) => message,
        None => str::from_utf8(refusal.body()).ok()?.to_owned(),
    };
    let line = one_line(message.trim_end().trim_end_matches('.'), LONGEST);
    (!line.is_empty() && !line.starts_with('<')).then_some(line)
}

/// Returns whether an API has refused the request: the path was right, or at least led to the API.
pub(crate) fn is_of_api(refusal: &Refusal) -> bool {
    message(refusal).is_some()
}

/// Returns the message of an error in JSON.
fn message(refusal: &Refusal) -> Option<String> {
    let json: Value = serde_json::from_slice(refusal.body()).ok()?;
    // The places where common APIs put the message; the first is OpenAI's.
    let places = ["/error/message", "/error", "/message", "/detail"];
    places.into_iter().find_map(|place| Some(json.pointer(place)?.as_str()?.to_owned()))
}
