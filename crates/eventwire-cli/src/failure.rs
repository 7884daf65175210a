//! Why a connection failed, and what to do about it.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;
use std::io;

use eventwire_client::{ConnectionError, Refusal, ResponseHead};
use eventwire_reqwest::RedirectError;
use reqwest::header::CONTENT_ENCODING;
use reqwest::{StatusCode, Url};

use crate::{fetch, refusal, root};

/// A failed connection. It is printed as one clause that describes what happened. The caller adds another: that it
/// reconnects, or the [advice](Failure::advice).
pub(crate) struct Failure<'e> {
    /// The URL of the request, before any redirect.
    pub(crate) url: &'e Url,
    pub(crate) error: &'e ConnectionError<reqwest::Error>,
}

impl fmt::Display for Failure<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.error {
            ConnectionError::Transport(error) => {
                let (url, why) = (self.url_of(error), root(error));
                match Stage::of(error) {
                    Stage::Connect => write!(f, "cannot connect to {url}: {why}"),
                    Stage::Tls => write!(f, "cannot connect to {url}: the server does not speak TLS on this port"),
                    Stage::Redirect | Stage::Request => write!(f, "cannot fetch {url}: {why}"),
                    Stage::Body => write!(f, "connection lost: {why}"),
                }
            }
            ConnectionError::Refused(refusal) => refused(f, refusal, &fetch::answering_url(refusal, self.url)),
            error => error.fmt(f),
        }
    }
}

impl Failure<'_> {
    /// Returns what the user can do about it.
    pub(crate) fn advice(&self) -> Cow<'static, str> {
        Cow::Borrowed(match self.error {
            ConnectionError::Transport(error) => match Stage::of(error) {
                Stage::Tls => {
                    let mut url = self.url_of(error);
                    // This cannot fail: both schemes are for URLs of the same kind.
                    let _ = url.set_scheme("http");
                    return Cow::Owned(format!("try {url}"));
                }
                Stage::Connect => "check the address, and that the server is running",
                Stage::Redirect => "check the URL with another client, or use the one that it redirects to",
                Stage::Request => "check the URL with another client",
                Stage::Body => "run the command again, or use --follow to reconnect",
            },
            ConnectionError::Refused(refusal) => match refusal.status().as_u16() {
                200 if is_encoded_stream(refusal) => "use curl -sN --compressed URL | eventwire -",
                200 => "check the URL, or pipe the stream into eventwire -",
                400 | 415 | 422 => "check the URL, --header and --post",
                401 | 403 => "send credentials with --header 'Authorization: Bearer KEY'",
                404 | 410 if !refusal::is_of_api(refusal) => "check the path of the URL",
                404 | 410 => "check the URL, --header and --post",
                405 => "try the other method: POST with --post, GET without it",
                429 | 500 | 502..=504 => "try again later, or use --follow to retry",
                500.. => "try again later",
                _ => "check the URL: an event stream starts with 200 OK",
            },
            ConnectionError::EndedInEvent => "the event was not printed: each must end with a blank line",
            _ => "run the command again",
        })
    }

    /// Returns the URL that the error is about: the user's, or one that it was redirected to. The error has it without
    /// the query, which may contain a secret. But the user's own query is shown.
    fn url_of(&self, error: &reqwest::Error) -> Url {
        let own = fetch::public(self.url);
        match error.url() {
            Some(other) if (other.origin(), other.path()) != (own.origin(), own.path()) => fetch::public(other),
            _ => own,
        }
    }
}

/// The stage in which the connection failed.
enum Stage {
    Connect,
    /// The server has answered the first message of TLS with something else, such as a response of HTTP.
    Tls,
    Redirect,
    Request,
    Body,
}

impl Stage {
    fn of(error: &reqwest::Error) -> Stage {
        match error {
            error if is_not_tls(root(error)) => Stage::Tls,
            error if error.is_connect() => Stage::Connect,
            error if error.source().is_some_and(|source| source.is::<RedirectError>()) => Stage::Redirect,
            error if error.is_body() || error.is_decode() => Stage::Body,
            _ => Stage::Request,
        }
    }
}

/// Returns whether this is rustls's error for bytes that are not a message of TLS.
fn is_not_tls(mut error: &(dyn Error + 'static)) -> bool {
    // The error in an `io::Error` is not its source.
    while let Some(inner) = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
        error = inner;
    }
    let invalid = rustls::Error::InvalidMessage(rustls::InvalidMessage::InvalidContentType);
    error.downcast_ref() == Some(&invalid)
}

/// Returns whether the response is an event stream with a content coding such as gzip.
fn is_encoded_stream(refusal: &Refusal) -> bool {
    let head = ResponseHead::from(refusal.response());
    head.is_event_stream() && head.is_encoded()
}

fn refused(f: &mut fmt::Formatter<'_>, refusal: &Refusal, url: &Url) -> fmt::Result {
    let head = ResponseHead::from(refusal.response());
    // If there are several content types, this one counts. If none is valid, the first header is shown.
    let found = head.media_type().map(Cow::from);
    let found = found.or_else(|| Some(String::from_utf8_lossy(head.header("content-type")?)));
    match (refusal.status(), found, refusal.headers().get(CONTENT_ENCODING)) {
        (StatusCode::OK, _, Some(coding)) if is_encoded_stream(refusal) => {
            return write!(f, "{url} cannot be read: its content coding {coding:?} is not supported");
        }
        (StatusCode::OK, Some(found), _) => {
            write!(f, "{url} is not an event stream: its content type is {found:?}, not text/event-stream")?;
        }
        (StatusCode::OK, None, _) => {
            write!(f, "{url} is not an event stream: it has no content type (expected text/event-stream)")?;
        }
        (status, ..) => write!(f, "{url} answered {status}")?,
    }
    match refusal::reason(refusal) {
        Some(reason) => write!(f, ": {reason}"),
        None => Ok(()),
    }
}
