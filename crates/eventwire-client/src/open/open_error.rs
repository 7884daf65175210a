//! Why a response could not be opened.

use crate::{
    Refusal,
    event_source::{Chain, Reason, Rounded},
};
use alloc::boxed::Box;
use core::{error::Error, fmt, time::Duration};

/// Why a response could not be opened; `E` is the HTTP client's error.
///
/// It prints what a user needs to see, on one line: the status with the beginning of the server's message, the content
/// type that was not expected, or the HTTP client's error with its sources. It therefore has no
/// [`source`](core::error::Error::source).
///
/// ```
/// # futures_util::FutureExt::now_or_never(async {
/// use eventwire_client::{OpenError, open};
/// # use std::{future, time::Duration};
/// # fn respond(status: u16, body: &str) -> http::Response<String> {
/// #     let response = http::Response::builder().status(status).header("retry-after", "20");
/// #     response.header("content-type", "application/json").body(body.into()).unwrap()
/// # }
/// # let timer = |_: Duration| future::pending();
///
/// #[derive(serde::Deserialize)]
/// struct Problem { code: String }
///
/// match open(respond(503, r#"{"code": "overloaded"}"#), timer).await {
///     Err(OpenError::Refused(refusal)) => {
///         assert_eq!(refusal.status(), 503);
///         assert_eq!(refusal.retry_after(), Some(Duration::from_secs(20)));
/// #       #[cfg(feature = "json")]
///         assert_eq!(refusal.json::<Problem>().unwrap().code, "overloaded");
///     }
///     other => panic!("{other:?}"),
/// }
/// # }).unwrap();
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum OpenError<E> {
    /// The server refused the request: the status is not 200. It may be a 204, which has no body.
    Refused(Box<Refusal>),
    /// The status is 200, but the content type is not the expected one: an HTML page, or JSON instead of a stream.
    /// Up to 16 MiB of JSON are kept, so that an answer is usually [complete](Refusal::is_complete).
    WrongContentType(Box<Refusal>),
    /// The body is still compressed: the HTTP client did not decode it.
    Compressed(Box<Refusal>),
    /// No response was received for [this long](super::Opening::with_timeout).
    Timeout(Duration),
    /// The HTTP client's error: there is no response.
    Transport(E),
}

impl<E> OpenError<E> {
    pub(super) fn from_refusal(refusal: Box<Refusal>) -> OpenError<E> {
        match refusal.reason() {
            Reason::Compressed => OpenError::Compressed(refusal),
            // Of parts, an event stream is refused for its content type, too.
            _ if refusal.status() == 200 => OpenError::WrongContentType(refusal),
            _ => OpenError::Refused(refusal),
        }
    }

    /// Returns the response that could not be opened, if there is one.
    #[must_use]
    pub fn refusal(&self) -> Option<&Refusal> {
        match self {
            OpenError::Refused(refusal) | OpenError::WrongContentType(refusal) | OpenError::Compressed(refusal) => {
                Some(refusal)
            }
            OpenError::Timeout(_) | OpenError::Transport(_) => None,
        }
    }

    /// Converts the HTTP client's error, for example into a boxed one.
    #[must_use]
    pub fn map_transport<F>(self, map: impl FnOnce(E) -> F) -> OpenError<F> {
        match self {
            OpenError::Refused(refusal) => OpenError::Refused(refusal),
            OpenError::WrongContentType(refusal) => OpenError::WrongContentType(refusal),
            OpenError::Compressed(refusal) => OpenError::Compressed(refusal),
            OpenError::Timeout(timeout) => OpenError::Timeout(timeout),
            OpenError::Transport(error) => OpenError::Transport(map(error)),
        }
    }
}

impl<E: Error + 'static> fmt::Display for OpenError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpenError::Refused(refusal) => refusal.fmt_as(f, Reason::Status),
            OpenError::WrongContentType(refusal) => refusal.fmt_as(f, Reason::ContentType),
            OpenError::Compressed(refusal) => refusal.fmt_as(f, Reason::Compressed),
            OpenError::Timeout(timeout) => write!(f, "no response received for {}", Rounded(*timeout)),
            OpenError::Transport(error) => Chain(error).fmt(f),
        }
    }
}

/// The sources of the HTTP client's error have been printed.
impl<E: Error + 'static> Error for OpenError<E> {}
