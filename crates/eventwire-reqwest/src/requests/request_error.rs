//! Why a request cannot be sent more than once.

use super::reqwest;
use std::{error::Error, fmt};

/// The error of [`.eventsource()`](super::RequestBuilderExt::eventsource): the request is not valid, or its body
/// cannot be sent twice.
///
/// ```
#[doc = import!("{RequestBuilderExt, RequestError}")]
///
/// let request = reqwest::Client::new().get("not a URL");
/// assert!(matches!(request.eventsource(), Err(RequestError::Build(_))));
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum RequestError {
    /// The request could not be built: its URL or a header is not valid.
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
            // The error has been printed.
            RequestError::Build(error) => error.source(),
            RequestError::StreamBody => None,
        }
    }
}
