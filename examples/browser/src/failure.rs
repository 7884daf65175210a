//! What went wrong, in words for people.

use std::time::Duration;

use eventwire::client::{ConnectionError, StopReason, Stopped};
use eventwire::multipart::{self, DecodeErrorKind};
use eventwire::{Error, JsonError};
use eventwire_web::FetchError;
use serde::Deserialize;

/// Why there is no answer, or not all of it.
#[derive(Debug, PartialEq)]
pub(crate) enum Failure {
    /// There is none.
    NoAnswer(String),
    /// There is none, and no response either.
    Unreachable,
    /// There is the beginning of one.
    CutOff(String),
}

const UNREACHABLE: &str =
    "There was no connection to the server, or it broke before the answer. Nothing was asked twice.";
const UNREADABLE: &str = "The server answered with something that is not an answer. Is it the right server?";

impl Failure {
    pub(crate) fn words(&self) -> &str {
        match self {
            Failure::Unreachable => UNREACHABLE,
            Failure::NoAnswer(words) | Failure::CutOff(words) => words,
        }
    }

    /// Why a chat ended early. `is_open`: the server had begun to answer.
    pub(crate) fn of_chat(error: JsonError<Stopped<FetchError>>, is_open: bool) -> Failure {
        match error {
            JsonError::Reported(event) => match message(event.data().as_bytes()) {
                Some(message) => cut_off(&format!("the model reported an error: {message}")),
                None => cut_off("the model reported an error."),
            },
            JsonError::Payload { .. } => cut_off("the server sent something that is not part of an answer."),
            JsonError::Stream(Error::Transport(stopped)) if !is_open => of_stopped(&stopped),
            JsonError::Stream(Error::Transport(stopped))
                if stopped.error().is_some_and(ConnectionError::is_timeout) =>
            {
                cut_off("the server has been silent for too long.")
            }
            _ => cut_off("the connection was lost."),
        }
    }

    /// A response with another type.
    pub(crate) fn unreadable() -> Failure {
        Failure::NoAnswer(UNREADABLE.into())
    }

    /// A response with another status.
    pub(crate) fn refused(status: u16, body: &[u8]) -> Failure {
        Failure::NoAnswer(match (status, message(body)) {
            (200..=299, _) => UNREADABLE.into(),
            (429 | 503, Some(message)) => format!("The server is busy ({status}): {message}"),
            (429 | 503, None) => format!("The server is busy ({status}). Please try again later."),
            (500.., Some(message)) => format!("The server failed ({status}): {message}"),
            (500.., None) => format!("The server failed ({status})."),
            (_, Some(message)) => format!("The server refused ({status}): {message}"),
            (_, None) => format!("The server refused ({status})."),
        })
    }

    /// Why the parts of a talk ended early.
    pub(crate) fn of_parts(error: &multipart::Error<FetchError>) -> Failure {
        match error {
            multipart::Error::Decode(error) if error.kind() == DecodeErrorKind::NoDelimiter => Failure::unreadable(),
            multipart::Error::PartTooLarge { .. } => cut_off("a part of it is too large."),
            _ => cut_off("the connection was lost."),
        }
    }
}

fn cut_off(why: &str) -> Failure {
    Failure::CutOff(format!("The answer was cut off. What is shown is incomplete: {why} Nothing was asked twice."))
}

fn of_stopped(stopped: &Stopped<FetchError>) -> Failure {
    let refusal = match stopped.error() {
        Some(ConnectionError::Refused(refusal)) => refusal,
        Some(error) if error.is_timeout() => {
            return Failure::NoAnswer("The server did not answer in time. Nothing was asked twice.".into());
        }
        _ => return Failure::Unreachable,
    };
    let status = refusal.status().as_u16();
    if stopped.reason() == StopReason::AttemptsExhausted {
        return Failure::NoAnswer(format!("The server is still busy ({status}). Please try again later."));
    }
    Failure::refused(status, refusal.body())
}

/// What a client does after this error, for example `The server is busy (503). Trying again in 1.2 s.`
pub(crate) fn retry(error: &ConnectionError<FetchError>, delay: Duration) -> String {
    let why = match error {
        ConnectionError::Refused(refusal) => format!("The server is busy ({}).", refusal.status().as_u16()),
        error if error.is_timeout() => "The server is silent.".into(),
        _ => "The connection is lost.".into(),
    };
    let delay = delay.saturating_add(Duration::from_millis(50));
    let (seconds, tenths) = (delay.as_secs(), delay.subsec_millis() / 100);
    format!("{why} Trying again in {seconds}.{tenths} s.")
}

/// The message of an error in the form of OpenAI's API.
fn message(body: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct Body {
        error: Inner,
    }
    #[derive(Deserialize)]
    struct Inner {
        message: String,
    }
    serde_json::from_str(str::from_utf8(body).ok()?).ok().map(|body: Body| body.error.message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_has_the_servers_words() {
        let words = |status, body: &str| Failure::refused(status, body.as_bytes()).words().to_owned();
        let body = "{\"error\":{\"message\":\"Who are you?\",\"type\":\"x\"}}";
        assert_eq!(words(401, body), "The server refused (401): Who are you?");
        assert_eq!(words(502, body), "The server failed (502): Who are you?");
        assert_eq!(words(404, "<html>"), "The server refused (404).");
        assert_eq!(words(200, "<html>"), UNREADABLE);
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
        let event = eventwire::Event::new("{\"error\":{\"message\":\"Overloaded.\"}}");
        let failure = Failure::of_chat(JsonError::Reported(event), true);
        assert!(failure.words().contains("incomplete: the model reported an error: Overloaded. Nothing"));
        assert!(matches!(Failure::of_chat(JsonError::Truncated, true), Failure::CutOff(_)));
    }
}
