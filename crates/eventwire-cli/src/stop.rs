//! How it can go wrong.

use std::io;
use std::path::PathBuf;

use crate::fetch::FetchError;
use crate::root;

/// Why there is nothing more to print. Each says what went wrong and what to do, in one line.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Stop {
    #[error("{0}; see --help")]
    Usage(#[from] lexopt::Error),
    #[error("cannot open {path:?}: {error}; give a file, - for standard input, or a URL with its http:// or https://")]
    Open { path: PathBuf, error: io::Error },
    #[error("cannot make an HTTP client: {}; fetch the stream by another, and pipe it into eventwire -", root(.0))]
    Client(#[from] reqwest::Error),
    #[error(transparent)]
    Fetch(#[from] FetchError),
    #[error("cannot read any further: {0}; check where the stream comes from, and run it again")]
    Read(String),
    #[error("cannot write the events: {0}; make room for the output, or send it elsewhere")]
    Output(io::Error),
    #[error("cannot serve the demonstration: {0}; give a URL, a file or - instead")]
    Demo(io::Error),
    #[error("cannot start the asynchronous runtime: {0}; close other programs and run it again")]
    Runtime(io::Error),
}
