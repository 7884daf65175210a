//! Why the program stops early.

use std::io;
use std::path::{Path, PathBuf};

use crate::fetch::FetchError;
use crate::place::{Place, shown};
use crate::{bare_url, root};

/// Why the program stops early. Each message is one line: what went wrong, and what to do.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Stop {
    #[error("{0}; see --help")]
    Usage(#[from] lexopt::Error),
    #[error("cannot open {path}: {error}; {what_to_do}")]
    Open { path: String, error: io::Error, what_to_do: String },
    #[error("{} is a directory; give a file", shown(.0))]
    Directory(PathBuf),
    #[error("no event in {place}; is it an event stream? it starts with {beginning}")]
    NoEvent { place: Place, beginning: String },
    #[error("{place} is compressed with gzip; use {}", place.gunzip())]
    Gzip { place: Place },
    #[error("cannot set up the HTTP client: {}; pipe the stream into eventwire - instead", root(.0))]
    Client(#[from] reqwest::Error),
    #[error(transparent)]
    Fetch(#[from] FetchError),
    #[error("cannot read the stream: {0}; check its source, and run the command again")]
    Read(String),
    #[error("cannot write the output: {0}; free some space, or write it elsewhere")]
    Output(io::Error),
    #[error("cannot serve the demo: {0}; use a URL, a file or - instead")]
    Demo(io::Error),
    #[error("cannot start the async runtime: {0}; close other programs, and run the command again")]
    Runtime(io::Error),
}

impl Stop {
    /// Returns the error for a file that cannot be opened. If it does not exist, the user may have left out the
    /// scheme of a URL.
    pub(crate) fn open(path: &Path, error: io::Error) -> Stop {
        let what_to_do = match bare_url::meant_by(path) {
            Some(url) => format!("if it is a URL, write {url}"),
            None => "use a file, - for standard input, or a URL that starts with http:// or https://".to_owned(),
        };
        Stop::Open { path: shown(path), error, what_to_do }
    }
}
