//! Errors, in words for the user.

use std::time::Duration;

use eventwire::{Error, JsonError};
use eventwire_client::{ConnectionError, Refusal, StopReason, Stopped};
use eventwire_multipart::{self as multipart, DecodeErrorKind};
use eventwire_web::FetchError;
use http::StatusCode;

use crate::error_message::error_message;

/// The reason that an answer is missing or incomplete.
#[derive(Debug, PartialEq)]
pub(crate) enum Failure {
    /// No answer began.
    NoAnswer(String),
    /// No response arrived.
    Unreachable,
    /// The answer began, and then ended early.
    CutOff(String),
}

const UNREACHABLE: &str =
    "The server cannot be reached, or the connection was lost before the answer. The question was not sent again.";
const LOST: &str = "the connection was lost.";
const UNREADABLE: &str = "The response is not an answer. Is this the right server?";

impl Failure {
    /// Returns the outcome for the view.
    pub(crate) fn outcome(&self) -> &'static str {
        match self {
            Failure::NoAnswer(_) => "failed",
            Failure::Unreachable => "unreachable",
            Failure::CutOff(_) => "cut-off",
        }
    }

    pub(crate) fn words(&self) -> &str {
        match self {
            Failure::Unreachable => UNREACHABLE,
            Failure::NoAnswer(words) | Failure::CutOff(words) => words,
        }
    }

    /// The failure of a chat. `is_open` is true if the server had begun to answer.
    pub(crate) fn of_chat(error: JsonError<Stopped<FetchError>>, is_open: bool) -> Failure {
        match error {
            JsonError::Reported(event) => reported(error_message(event.data().as_bytes())),
            JsonError::Payload { .. } => cut_off("the server sent unexpected data."),
            JsonError::Stream(Error::Transport(stopped)) if !is_open => Failure::of_stopped(&stopped),
            JsonError::Stream(Error::Transport(stopped))
                if stopped.error().is_some_and(ConnectionError::is_timeout) =>
            {
                cut_off("the server sent no data for too long.")
            }
            _ => cut_off(LOST),
        }
    }

    /// The failure for a response with another type.
    pub(crate) fn unreadable() -> Failure {
        Failure::NoAnswer(UNREADABLE.into())
    }

    /// The failure for a response with another status.
    pub(crate) fn of_response(status: StatusCode, body: &[u8]) -> Failure {
        refused(status, error_message(body))
    }

    pub(crate) fn of_refusal(refusal: &Refusal) -> Failure {
        Failure::of_response(refusal.status(), refusal.body())
    }

    /// The failure of a client that stopped without an answer.
    pub(crate) fn of_stopped(stopped: &Stopped<FetchError>) -> Failure {
        match stopped.error() {
            Some(ConnectionError::Refused(refusal)) if stopped.reason() == StopReason::AttemptsExhausted => {
                let status = refusal.status();
                let words = ["The server is still busy (", status.as_str(), "). Please try again later."];
                Failure::NoAnswer(words.concat())
            }
            Some(ConnectionError::Refused(refusal)) => Failure::of_refusal(refusal),
            Some(error) if error.is_timeout() => {
                Failure::NoAnswer("The server did not answer in time. The question was not sent again.".into())
            }
            _ => Failure::Unreachable,
        }
    }

    /// The failure of a talk.
    pub(crate) fn of_parts(error: &multipart::Error<FetchError>) -> Failure {
        match error {
            multipart::Error::Decode(error) if error.kind() == DecodeErrorKind::NoDelimiter => Failure::unreadable(),
            multipart::Error::PartTooLarge { .. } => cut_off("a part of it is too large."),
            _ => cut_off(LOST),
        }
    }
}

fn cut_off(why: &str) -> Failure {
    let words = ["The answer is incomplete: ", why, " The question was not sent again."];
    Failure::CutOff(words.concat())
}

/// The failure for an error event in the stream, with its message.
fn reported(message: Option<String>) -> Failure {
    match message {
        Some(message) => {
            // Some messages are sentences, and others are not.
            let message = message.trim_end_matches(['.', '!']);
            cut_off(&["the model reported an error: ", message, "."].concat())
        }
        None => cut_off("the model reported an error."),
    }
}

fn refused(status: StatusCode, message: Option<String>) -> Failure {
    let (who, end) = match status.as_u16() {
        200..=299 => return Failure::unreadable(),
        429 | 503 => ("The server is busy (", "). Please try again later."),
        500.. => ("The server failed (", ")."),
        _ => ("The server refused (", ")."),
    };
    Failure::NoAnswer(match message {
        Some(message) => [who, status.as_str(), "): ", &message].concat(),
        None => [who, status.as_str(), end].concat(),
    })
}

/// Returns the words for a retry after this error, for example `The server is busy (503). Trying again in 1.2 s.`
pub(crate) fn retry(error: &ConnectionError<FetchError>, delay: Duration) -> String {
    let words;
    let why = match error {
        ConnectionError::Refused(refusal) => {
            // A 429 is always retried, the others only for the feed.
            let is_busy = matches!(refusal.status().as_u16(), 429 | 503);
            let who = if is_busy { "The server is busy (" } else { "The server failed (" };
            words = [who, refusal.status().as_str(), ")."].concat();
            &words
        }
        error if error.is_timeout() => "The server sends no data.",
        _ => "The connection is lost.",
    };
    let delay = delay.saturating_add(Duration::from_millis(50));
    let (seconds, tenths) = (delay.as_secs().to_string(), (delay.subsec_millis() / 100).to_string());
    [why, " Trying again in ", &seconds, ".", &tenths, " s."].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_has_the_servers_words() {
        let words = |status, message: Option<&str>| {
            let status = StatusCode::from_u16(status).unwrap();
            refused(status, message.map(Into::into)).words().to_owned()
        };
        assert_eq!(words(401, Some("Who are you?")), "The server refused (401): Who are you?");
        assert_eq!(words(502, Some("Who are you?")), "The server failed (502): Who are you?");
        assert_eq!(words(503, Some("Later.")), "The server is busy (503): Later.");
        assert_eq!(words(429, None), "The server is busy (429). Please try again later.");
        assert_eq!(words(404, None), "The server refused (404).");
        assert_eq!(words(200, None), UNREADABLE);
    }

    #[test]
    fn a_delay_is_rounded_to_tenths() {
        let words = |milliseconds| retry(&ConnectionError::Ended, Duration::from_millis(milliseconds));
        assert_eq!(words(1_249), "The connection is lost. Trying again in 1.2 s.");
        assert_eq!(words(950), "The connection is lost. Trying again in 1.0 s.");
        assert_eq!(words(30_000), "The connection is lost. Trying again in 30.0 s.");
    }

    #[test]
    fn an_error_in_the_stream_has_its_message() {
        for message in ["Overloaded", "Overloaded.", "Overloaded!"] {
            let failure = reported(Some(message.into()));
            assert!(failure.words().contains("incomplete: the model reported an error: Overloaded. The question"));
        }
        assert!(matches!(Failure::of_chat(JsonError::Truncated, true), Failure::CutOff(_)));
    }
}
