//! The error message in a server's response.

use serde::Deserialize;

/// An error object as OpenAI sends it. Some servers send the message alone.
#[derive(Deserialize)]
struct Envelope {
    error: Detail,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Detail {
    Envelope { message: String },
    Message(String),
}

/// Returns the server's error message on one line, or `None` if the body is not such an error object.
pub(crate) fn reason(body: &[u8]) -> Option<String> {
    let Envelope { error: Detail::Envelope { message } | Detail::Message(message) } =
        serde_json::from_slice(body).ok()?;
    Some(on_one_line(&message))
}

/// Escapes control characters, so that the message stays on one line and cannot control the terminal.
fn on_one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for char in text.chars() {
        if char.is_control() { line.extend(char.escape_default()) } else { line.push(char) }
    }
    line
}
