//! The error message in a response that is not an event stream.

use std::str;

use eventwire::client::Refusal;
use serde_json::Value;

use crate::print::one_line;

/// How many characters of the message are printed: a sentence or two.
const LONGEST: usize = 200;

/// Returns the server's error message on one line. Returns `None` if the body is empty, binary, or an HTML page.
pub(crate) fn reason(refusal: &Refusal) -> Option<String> {
    let text = str::from_utf8(refusal.body()).ok()?;
    let json: Value = serde_json::from_str(text).unwrap_or_default();
    // The places where common APIs put the message; the first is OpenAI's.
    let message = ["/error/message", "/error", "/message", "/detail"]
        .into_iter()
        .find_map(|place| json.pointer(place)?.as_str())
        .unwrap_or(text);
    let line = one_line(message, LONGEST);
    (!line.is_empty() && !line.starts_with('<')).then_some(line)
}
