//! The measurements of a stream.

use std::fmt::{self, Display, Formatter};
use std::time::Duration;

use axum::http::{Method, StatusCode};

/// The measurements of a stream. They are printed as one line, without a line end.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// The request's method.
    pub method: Method,
    /// The request's path, without the query, which may contain a key.
    pub path: String,
    /// The answer's status.
    pub status: StatusCode,
    /// How many events added text to the answer. Most servers send each token in a separate event.
    pub tokens: u64,
    /// The last usage that the server reported.
    pub usage: Option<Usage>,
    /// The time from the request to the first event with text.
    pub first_token: Option<Duration>,
    /// The time from the request to the end of the stream.
    pub total: Duration,
    /// How the stream ended.
    pub end: End,
}

/// The tokens that the server counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage {
    /// The tokens of the prompt.
    pub prompt_tokens: u64,
    /// The tokens of the answer.
    pub completion_tokens: u64,
}

/// How a stream ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum End {
    /// With `[DONE]`, or with the last event of OpenAI's Responses API.
    Complete,
    /// Without either of these. The answer may be incomplete.
    Unmarked,
    /// The client closed the connection before the end.
    ClientLeft,
    /// The connection to the server broke. This is the reason.
    CutOff(String),
    /// The proxy could not read the stream, for example because an event was over the limit. This is the reason.
    Unreadable(String),
}

impl Display for Report {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Report { method, path, status, tokens, usage, first_token, total, end } = self;
        write!(f, "{method} {path} {}: {end}, tokens {tokens}", status.as_u16())?;
        if let Some(first) = first_token {
            write!(f, ", first after {first:.1?}")?;
        }
        write!(f, ", total {total:.1?}")?;
        if let Some(Usage { prompt_tokens, completion_tokens }) = usage {
            write!(f, ", usage {prompt_tokens} + {completion_tokens}")?;
        }
        Ok(())
    }
}

impl Display for End {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            End::Complete => f.write_str("complete"),
            End::Unmarked => f.write_str("ended without [DONE]"),
            End::ClientLeft => f.write_str("closed by the client"),
            End::CutOff(why) => write!(f, "cut off by the server ({why})"),
            End::Unreadable(why) => write!(f, "cut off ({why})"),
        }
    }
}
