//! A connection that could not be made, or is no more.

use std::fmt;

use eventwire::client::{ConnectionError, Refusal, ResponseHead};
use reqwest::header::{CONTENT_ENCODING, CONTENT_TYPE};
use reqwest::{StatusCode, Url};

use crate::{refusal, root};

/// What happened, as one clause. What is done about it comes behind: another connection, or [advice](Failure::advice).
pub(crate) struct Failure<'e> {
    /// Where it was looked for first.
    pub(crate) url: &'e Url,
    pub(crate) error: &'e ConnectionError<reqwest::Error>,
}

impl fmt::Display for Failure<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.error {
            ConnectionError::Transport(error) => {
                let (url, why) = (error.url().unwrap_or(self.url), root(error));
                match Stage::of(error) {
                    Stage::Connect => write!(f, "cannot connect to {url}: {why}"),
                    Stage::Request => write!(f, "cannot fetch {url}: {why}"),
                    Stage::Body => write!(f, "cannot read any further: {why}"),
                }
            }
            ConnectionError::Refused(refusal) => {
                refused(f, refusal, refusal.response().extensions().get().unwrap_or(self.url))
            }
            error => error.fmt(f),
        }
    }
}

impl Failure<'_> {
    /// What to do about it.
    pub(crate) fn advice(&self) -> &'static str {
        match self.error {
            ConnectionError::Transport(error) => match Stage::of(error) {
                Stage::Connect => "check the address, and the server behind it",
                Stage::Request => "check the URL with another client",
                Stage::Body => "check where the stream comes from, and run it again",
            },
            ConnectionError::Refused(refusal) => match refusal.status().as_u16() {
                200 => "check the URL, or pipe it into eventwire -",
                400 | 415 | 422 => "check the URL, and what --header and --post say",
                401 | 403 => "give your credentials with --header 'Authorization: Bearer KEY'",
                404 | 410 => "check the path of the URL",
                405 => "send the other method: a POST with --post, a GET without it",
                429 | 500 | 502..=504 => "try again later, or with --follow",
                500.. => "try again later",
                _ => "an event stream begins with 200 OK",
            },
            _ => "run it again",
        }
    }
}

/// How far it had come.
enum Stage {
    Connect,
    Request,
    Body,
}

impl Stage {
    fn of(error: &reqwest::Error) -> Stage {
        match error {
            error if error.is_connect() => Stage::Connect,
            error if error.is_body() || error.is_decode() => Stage::Body,
            _ => Stage::Request,
        }
    }
}

fn refused(f: &mut fmt::Formatter<'_>, refusal: &Refusal, url: &Url) -> fmt::Result {
    let is_event_stream = ResponseHead::from(refusal.response()).is_event_stream();
    let [found, coding] = [CONTENT_TYPE, CONTENT_ENCODING].map(|name| refusal.headers().get(name));
    match (refusal.status(), found, coding) {
        (StatusCode::OK, _, Some(coding)) if is_event_stream => {
            return write!(f, "{url} cannot be read: it has the content coding {coding:?}, which is not undone here");
        }
        (StatusCode::OK, Some(found), _) => {
            write!(f, "{url} is not an event stream: it has the content type {found:?}, not text/event-stream")?;
        }
        (StatusCode::OK, None, _) => {
            write!(f, "{url} is not an event stream: it has no content type, not text/event-stream")?;
        }
        (status, ..) => write!(f, "{url} answered {status}")?,
    }
    match refusal::reason(refusal) {
        Some(reason) => write!(f, ": {reason}"),
        None => Ok(()),
    }
}
