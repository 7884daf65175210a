//! Where events are read from, for messages.

use std::fmt;
use std::path::{Path, PathBuf};

use reqwest::Url;

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

/// Returns the path, in quotes if it contains spaces, control characters or other special characters.
pub(crate) fn shown(path: &Path) -> String {
    match path.to_str() {
        Some(text) if text.chars().all(|char| char.is_alphanumeric() || "/._-+:,@%=~".contains(char)) => {
            text.to_owned()
        }
        _ => format!("{path:?}"),
    }
}
