//! Where events are read from, for messages.

use std::fmt;
use std::path::{Path, PathBuf, is_separator};

use reqwest::Url;

use crate::printable::is_escaped;

#[derive(Clone, Debug)]
pub(crate) enum Place {
    File(PathBuf),
    Stdin,
    Url(Url),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::File(path) => f.write_str(&shown(path)),
            Place::Stdin => f.write_str("standard input"),
            Place::Url(url) => url.fmt(f),
        }
    }
}

impl Place {
    /// Returns the commands that print the events of this place if it is compressed.
    pub(crate) fn gunzip(&self) -> String {
        match self {
            Place::File(path) => format!("gunzip -c {} | eventwire -", shown(path)),
            Place::Stdin => "curl -sN --compressed URL | eventwire -, or gunzip -c FILE | eventwire -".to_owned(),
            // The response does not say that it is compressed, so `--compressed` would not help.
            Place::Url(_) => "curl -sN URL | gunzip -c | eventwire -".to_owned(),
        }
    }
}

/// Returns the path, in the quotes of a shell if it needs any, because it may be part of a command. Control characters
/// are escaped.
pub(crate) fn shown(path: &Path) -> String {
    let is_plain = |char: char| char.is_alphanumeric() || is_separator(char) || "._-+:,@%=~".contains(char);
    match path.to_str() {
        Some(text) if !text.is_empty() && text.chars().all(is_plain) => text.to_owned(),
        Some(text) if !text.contains(is_escaped) && !text.contains('\t') => {
            format!("'{}'", text.replace('\'', r"'\''"))
        }
        _ => format!("{path:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::shown;

    #[test]
    fn paths() {
        for (path, expected) in [
            ("events.sse", "events.sse"),
            ("/tmp/é-1.sse", "/tmp/é-1.sse"),
            ("", "''"),
            ("a b", "'a b'"),
            ("a$(b)`c`", "'a$(b)`c`'"),
            ("it's", r"'it'\''s'"),
            ("[::1]:80", "'[::1]:80'"),
            ("a\n\u{9B}", r#""a\n\u{9b}""#),
        ] {
            assert_eq!(shown(path.as_ref()), expected);
        }
    }
}
