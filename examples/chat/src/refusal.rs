//! What a server says where it does not answer.

use serde::Deserialize;

/// The envelope of OpenAI's errors. Some servers write the message alone in it.
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

/// The server's own reason, on one line.
pub(crate) fn reason(body: &[u8]) -> String {
    match serde_json::from_slice::<Envelope>(body) {
        Ok(Envelope { error: Detail::Envelope { message } | Detail::Message(message) }) => on_one_line(&message),
        Err(_) => "it does not say why in a form that is understood here".into(),
    }
}

/// The text comes from outside, and must not steer the terminal.
fn on_one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for char in text.chars() {
        if char.is_control() { line.extend(char.escape_default()) } else { line.push(char) }
    }
    line
}
