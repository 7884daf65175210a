//! Why a response could not be opened.

use crate::unexpected_response::{Reason, UnexpectedResponse};
use alloc::boxed::Box;
use core::{error::Error, fmt, time::Duration};
use eventwire::internal::{Chain, Rounded};

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
///     Err(OpenError::Refused(response)) => {
///         assert_eq!(response.status(), 503);
///         assert_eq!(response.retry_after(), Some(Duration::from_secs(20)));
/// #       #[cfg(feature = "json")]
///         assert_eq!(response.json::<Problem>().unwrap().code, "overloaded");
///     }
///     other => panic!("{other:?}"),
/// }
/// # }).unwrap();
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum OpenError<E> {
    /// The server refused the request: the status is not 200. It may be a 204, which has no body.
    Refused(Box<UnexpectedResponse>),
    /// The status is 200, but the content type is not the expected one: an HTML page, or JSON instead of events.
    /// Up to 16 MiB of JSON are kept, so that an answer is usually [complete](UnexpectedResponse::is_complete).
    ///
    /// If the message says that it is JSON lines, open it by `lines`, which is `open_lines` on requests in other
    /// crates, with feature `json`. If it says that it is an event stream, leave that out, or use `open`.
    WrongContentType(Box<UnexpectedResponse>),
    /// The body is still compressed: the HTTP client did not decode it.
    Compressed(Box<UnexpectedResponse>),
    /// No response was received for [this long](crate::Opening::with_timeout).
    Timeout(Duration),
    /// The HTTP client's error: there is no response.
    Transport(E),
}

impl<E> OpenError<E> {
    pub(super) fn from_response(response: Box<UnexpectedResponse>) -> OpenError<E> {
        match response.reason() {
            Reason::Compressed => OpenError::Compressed(response),
            // Also a 200 with the right content type, which a check of the caller has rejected.
            _ if response.status() == 200 => OpenError::WrongContentType(response),
            _ => OpenError::Refused(response),
        }
    }

    /// Returns the response that could not be opened, if there is one.
    #[must_use]
    pub fn response(&self) -> Option<&UnexpectedResponse> {
        match self {
            OpenError::Refused(response) | OpenError::WrongContentType(response) | OpenError::Compressed(response) => {
                Some(response)
            }
            OpenError::Timeout(_) | OpenError::Transport(_) => None,
        }
    }

    /// Takes the response that could not be opened out of the error, to build an error of your own from it. If there is
    /// no response, the error is returned as it was.
    ///
    /// ```
    /// # futures_util::FutureExt::now_or_never(async {
    /// use eventwire_client::{OpenError, open};
    /// use std::io;
    /// # let timer = |_: std::time::Duration| std::future::pending();
    /// # let respond = || {
    /// #     let response = http::Response::builder().status(401).header("x-request-id", "7");
    /// #     response.body("no such key".to_owned()).unwrap()
    /// # };
    ///
    /// #[derive(Debug)]
    /// enum Failure {
    ///     Refused { status: http::StatusCode, headers: http::HeaderMap, body: Vec<u8> },
    ///     Other(Box<dyn std::error::Error + Send + Sync>),
    /// }
    ///
    /// impl<E: std::error::Error + Send + Sync + 'static> From<OpenError<E>> for Failure {
    ///     fn from(error: OpenError<E>) -> Failure {
    ///         match error.into_response() {
    ///             Ok(response) => {
    ///                 let (head, body) = response.into_http().into_parts();
    ///                 Failure::Refused { status: head.status, headers: head.headers, body }
    ///             }
    ///             Err(error) => Failure::Other(error.into()),
    ///         }
    ///     }
    /// }
    ///
    /// let error = open(respond(), timer).await.unwrap_err();
    /// let Failure::Refused { status, headers, body } = error.into() else { panic!() };
    /// assert_eq!((status.as_u16(), body.as_slice()), (401, &b"no such key"[..]));
    /// assert_eq!(headers["x-request-id"], "7");
    ///
    /// let error = OpenError::Transport(io::Error::other("connection reset"));
    /// assert!(matches!(error.into(), Failure::Other(_)));
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// The error itself, if it is a [`Timeout`](OpenError::Timeout) or a [`Transport`](OpenError::Transport).
    pub fn into_response(self) -> Result<Box<UnexpectedResponse>, OpenError<E>> {
        match self {
            OpenError::Refused(response) | OpenError::WrongContentType(response) | OpenError::Compressed(response) => {
                Ok(response)
            }
            OpenError::Timeout(_) | OpenError::Transport(_) => Err(self),
        }
    }

    /// Converts the HTTP client's error, for example into a boxed one.
    #[must_use]
    pub fn map_transport<F>(self, map: impl FnOnce(E) -> F) -> OpenError<F> {
        match self {
            OpenError::Refused(response) => OpenError::Refused(response),
            OpenError::WrongContentType(response) => OpenError::WrongContentType(response),
            OpenError::Compressed(response) => OpenError::Compressed(response),
            OpenError::Timeout(timeout) => OpenError::Timeout(timeout),
            OpenError::Transport(error) => OpenError::Transport(map(error)),
        }
    }
}

impl<E: Error + 'static> fmt::Display for OpenError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpenError::Refused(response) => response.fmt_as(f, Reason::Status),
            OpenError::WrongContentType(response) => response.fmt_as(f, Reason::ContentType),
            OpenError::Compressed(response) => response.fmt_as(f, Reason::Compressed),
            OpenError::Timeout(timeout) => write!(f, "no response received for {}", Rounded(*timeout)),
            OpenError::Transport(error) => Chain(error).fmt(f),
        }
    }
}

/// The sources of the HTTP client's error have been printed.
impl<E: Error + 'static> Error for OpenError<E> {}
