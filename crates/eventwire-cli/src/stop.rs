//! Why the program stops early.

use std::io;
use std::path::PathBuf;

use crate::fetch::FetchError;
use crate::root;

/// Why the program stops early. Each message is one line: what went wrong, and what to do.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Stop {
    #[error("{0}; see --help")]
    Usage(#[from] lexopt::Error),
    #[error(
        "cannot open {path:?}: {error}; use a file, - for standard input, or a URL that starts with http:// or https://"
    )]
    Open { path: PathBuf, error: io::Error },
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
