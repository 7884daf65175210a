//! JSON with a line for each value.

use std::io::{self, Write};
use std::iter;

use serde::de::IgnoredAny;

use crate::printable::OneLine;

/// How many levels are indented. Deeper ones are not, so that a few brackets cannot become many spaces.
const LEVELS: usize = 10;

/// Writes the text with white space between its values, if it is JSON. Apart from that nothing is changed: numbers and
/// the order of keys stay as they are. Returns whether it is JSON.
pub(crate) fn write(json: &str, out: &mut impl Write) -> io::Result<bool> {
    if serde_json::from_str::<IgnoredAny>(json).is_err() {
        return Ok(false);
    }
    let mut depth = 0_usize;
    let mut before = "";
    for token in tokens(json) {
        match (before, token) {
            ("{", "}") | ("[", "]") => depth = depth.saturating_sub(1),
            ("{" | "[" | ",", _) => new_line(depth, out)?,
            (_, "}" | "]") => {
                depth = depth.saturating_sub(1);
                new_line(depth, out)?;
            }
            (":", _) => out.write_all(b" ")?,
            _ => {}
        }
        if matches!(token, "{" | "[") {
            depth += 1;
        }
        write!(out, "{}", OneLine(token))?;
        before = token;
    }
    Ok(true)
}

/// Returns the tokens of a text that is JSON, without the white space between them.
pub(crate) fn tokens(json: &str) -> impl Iterator<Item = &str> {
    let mut rest = json.trim_start();
    iter::from_fn(move || {
        let (token, after) = rest.split_at(length(rest));
        rest = after.trim_start();
        Some(token).filter(|token| !token.is_empty())
    })
}

/// Begins a line. As further lines of data, it is indented.
fn new_line(depth: usize, out: &mut impl Write) -> io::Result<()> {
    write!(out, "\n    {:width$}", "", width = 2 * depth.min(LEVELS))
}

/// Returns how many bytes the first token has.
fn length(json: &str) -> usize {
    let mut bytes = json.bytes();
    match bytes.next() {
        Some(b'"') => {
            let mut length = 1;
            while let Some(byte) = bytes.next() {
                length += 1;
                match byte {
                    b'"' => return length,
                    b'\\' => {
                        bytes.next();
                        length += 1;
                    }
                    _ => {}
                }
            }
            json.len()
        }
        Some(b'{' | b'}' | b'[' | b']' | b',' | b':') => 1,
        _ => json.find(|char: char| "{}[],:".contains(char) || char.is_ascii_whitespace()).unwrap_or(json.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(json: &str, printed: Option<&str>) {
        let mut out = Vec::new();
        let is_json = write(json, &mut out).unwrap_or(false);
        let out = String::from_utf8(out).unwrap_or_default();
        assert_eq!(is_json.then_some(out.as_str()), printed, "{json}");
    }

    #[test]
    fn only_white_space_is_changed() {
        check(
            r#"{"b":1.50,"a":[{},[ ],"x,\"]\\",{"é":null}]}"#,
            Some(
                "{\n      \"b\": 1.50,\n      \"a\": [\n        {},\n        [],\n        \"x,\\\"]\\\\\",\n        {\n          \
                 \"é\": null\n        }\n      ]\n    }",
            ),
        );
        check(" \"a\u{202E}\" ", Some("\"a\\u{202e}\""));
        check("12345678901234567890123", Some("12345678901234567890123"));
        check("[DONE]", None);
        check("", None);
    }

    #[test]
    fn brackets_do_not_become_many_spaces() {
        let json = format!("{}1{}", "[".repeat(100), "]".repeat(100));
        let mut out = Vec::new();
        assert!(write(&json, &mut out).is_ok_and(|is_json| is_json));
        assert!(out.len() < 30 * json.len(), "{}", out.len());
    }
}
