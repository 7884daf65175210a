//! Makes the text of a server safe for a terminal.

/// Escapes all control characters, so that the text is one line and cannot control the terminal.
pub(crate) fn on_one_line(text: &str) -> String {
    escape(text, &[])
}

/// Escapes all control characters except line ends and tabs.
#[cfg(feature = "program")]
pub(crate) fn on_lines(text: &str) -> String {
    escape(text, &['\n', '\r', '\t'])
}

fn escape(text: &str, kept: &[char]) -> String {
    let mut safe = String::with_capacity(text.len());
    for char in text.chars() {
        if char.is_control() && !kept.contains(&char) {
            safe.extend(char.escape_default());
        } else {
            safe.push(char);
        }
    }
    safe
}
