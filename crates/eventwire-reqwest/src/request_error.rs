//! Why a request cannot be an event source's.

use std::{error::Error, fmt};

/// Why a request cannot be an event source's.
#[derive(Debug)]
#[non_exhaustive]
pub enum RequestError {
    /// There is no request: the URL or a header is not valid.
    Build(reqwest::Error),
    /// The body is a stream, which cannot be sent twice. Bytes and text can.
    StreamBody,
}

impl fmt::Display for RequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RequestError::Build(error) => write!(f, "the request is not valid: {error}"),
            RequestError::StreamBody => f.write_str("the request's body is a stream, which cannot be sent again"),
        }
    }
}

impl Error for RequestError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            // The error itself is printed already.
            RequestError::Build(error) => error.source(),
            RequestError::StreamBody => None,
        }
    }
}
