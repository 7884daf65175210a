//! Errors, in words for the user.

use eventwire_multipart::{self as multipart, PartDecodeErrorKind};
use eventwire_web::{ConnectionError, Error, FetchError, JsonError, StopReason, Stopped};
use http::StatusCode;
use js_sys::{JSON, Reflect};

/// The reason that an answer is missing or incomplete.
pub(crate) struct Failure {
    /// `failed` if no answer began, `cut-off` if it began and then ended early.
    pub(crate) outcome: &'static str,
    pub(crate) words: String,
}

const LOST: &str = "the connection was lost.";

impl Failure {
    fn new(words: &str) -> Failure {
        Failure { outcome: "failed", words: words.into() }
    }

    fn truncated(why: &str) -> Failure {
        let words = ["The answer is incomplete: ", why, " The question was not sent again."].concat();
        Failure { outcome: "cut-off", words }
    }

    pub(crate) fn unreachable() -> Failure {
        Failure::new("The server cannot be reached, or the connection was lost. The question was not sent again.")
    }

    /// The failure for a response with another type.
    pub(crate) fn unreadable() -> Failure {
        Failure::new("The response is not an answer. Is this the right server?")
    }

    /// The failure of a chat. `is_open` is true if the server had begun to answer.
    pub(crate) fn chat(error: JsonError<Stopped<FetchError>>, is_open: bool) -> Failure {
        match error {
            JsonError::Reported { message, .. } if message.is_empty() => {
                Failure::truncated("the model reported an error.")
            }
            JsonError::Reported { message, .. } => {
                // Some messages are sentences, and others are not.
                let message = message.trim_end_matches(['.', '!']);
                Failure::truncated(&["the model reported an error: ", message, "."].concat())
            }
            JsonError::Payload { .. } => Failure::truncated("the server sent unexpected data."),
            JsonError::Stream(Error::Transport(stopped)) if !is_open => Failure::stopped(&stopped),
            _ => Failure::truncated(LOST),
        }
    }

    /// The failure of the live feed.
    pub(crate) fn feed(error: &Error<Stopped<FetchError>>) -> Failure {
        match error {
            Error::Transport(stopped) => Failure::stopped(stopped),
            _ => Failure::default(),
        }
    }

    /// The failure of a talk.
    pub(crate) fn parts(error: &multipart::Error<FetchError>) -> Failure {
        match error {
            multipart::Error::Decode(error) if error.kind() == PartDecodeErrorKind::NoDelimiter => {
                Failure::unreadable()
            }
            multipart::Error::PartTooLarge { .. } => Failure::truncated("a part of it is too large."),
            _ => Failure::truncated(LOST),
        }
    }

    /// The failure of a client that stopped without an answer.
    fn stopped(stopped: &Stopped<FetchError>) -> Failure {
        match stopped.error() {
            Some(error @ ConnectionError::UnexpectedResponse(_))
                if stopped.reason() == StopReason::AttemptsExhausted =>
            {
                Failure::new(&[&reason(error), " Please try again later."].concat())
            }
            Some(ConnectionError::UnexpectedResponse(refusal)) => Failure::response(refusal.status(), refusal.body()),
            Some(error) if error.is_timeout() => Failure::new(&reason(error)),
            _ => Failure::unreachable(),
        }
    }

    /// The failure for a response with another status.
    pub(crate) fn response(status: StatusCode, body: &[u8]) -> Failure {
        match error_message(body) {
            _ if status.is_success() => Failure::unreadable(),
            Some(message) => Failure::new(&[&answered(status), " ", &message].concat()),
            None => Failure::new(&answered(status)),
        }
    }
}

/// The feed has ended without an error.
impl Default for Failure {
    fn default() -> Failure {
        Failure::new("The feed has ended.")
    }
}

/// Returns the reason that there is no connection, and that another attempt follows.
pub(crate) fn reason(error: &ConnectionError<FetchError>) -> String {
    match error {
        ConnectionError::UnexpectedResponse(refusal) => answered(refusal.status()),
        error if error.is_timeout() => "The server sends no data.".into(),
        _ => "The connection is lost.".into(),
    }
}

fn answered(status: StatusCode) -> String {
    let who = match status.as_u16() {
        429 | 503 => "The server is busy (",
        500.. => "The server failed (",
        _ => "The server refused (",
    };
    // `StatusCode::as_str` would add 1,900 bytes to the page, gzipped.
    [who, &status.as_u16().to_string(), ")."].concat()
}

/// Returns the message of an error in the format of OpenAI's API, `{"error":{"message":".."}}`. It is not part of a
/// typed stream, so the browser parses its JSON.
fn error_message(body: &[u8]) -> Option<String> {
    let body = JSON::parse(str::from_utf8(body).ok()?).ok()?;
    let error = Reflect::get(&body, &"error".into()).ok()?;
    Reflect::get(&error, &"message".into()).ok()?.as_string()
}
