//! The client that reads an answer.

use std::io;

use bytes::Bytes;
use eventwire_multipart::{DecodeErrorKind, Error, HeadersRef, PartDecoder, Parts};
use reqwest::Response;
use reqwest::header::CONTENT_TYPE;

use crate::model_error::reason_or_none;
use crate::root_cause::root_cause;
use crate::talk::SENTENCE;
use crate::utf8::Utf8;

/// A piece of an answer, passed to the callback of [`listen`].
#[derive(Debug)]
#[non_exhaustive]
pub enum Heard<'h> {
    /// Text. It may begin and end within a word.
    Text {
        /// The number of the sentence, from 1; 0 if the server does not send it.
        sentence: u64,
        /// The text.
        text: &'h str,
    },
    /// The sound of a sentence.
    Sound {
        /// The number of the sentence, from 1; 0 if the server does not send it.
        sentence: u64,
        /// A WAV file of at most 16 MiB.
        wav: Bytes,
    },
    /// The model's tool calls: JSON of at most 16 MiB.
    ToolCalls(Bytes),
    /// A drawing that replaces the previous one: SVG of at most 16 MiB.
    Drawing(Bytes),
}

/// Reads an answer and calls `each` with every piece: text as it arrives, other parts when they are complete.
///
/// Parts of other types are skipped. Dropping the future cancels the request. To detect a server that stops
/// sending, set the client's [`read_timeout`](reqwest::ClientBuilder::read_timeout).
///
/// # Errors
///
/// [`ListenError`] if the answer is missing or incomplete, or if `each` fails. `each` has been called with
/// everything before the error.
pub async fn listen(response: Response, mut each: impl FnMut(Heard<'_>) -> io::Result<()>) -> Result<(), ListenError> {
    let status = response.status();
    if !status.is_success() {
        let reason = reason_or_none(&response.bytes().await.unwrap_or_default());
        return Err(ListenError::Refused(format!("the server answered {status}: {reason}")));
    }
    let content_type = response.headers().get(CONTENT_TYPE).map_or(&b""[..], |value| value.as_bytes());
    let decoder =
        PartDecoder::from_content_type(content_type).map_err(|error| ListenError::NoAnswer(error.to_string()))?;
    // A stream of this type may end without a close delimiter. The server of this example always writes one, so the
    // answer is truncated without it.
    let mut parts = Parts::new(Box::pin(response.bytes_stream()), decoder.require_close());
    while let Some(part) = parts.next().await {
        let mut part = part?;
        let Some(media_type) = part.media_type() else { continue };
        let sentence = sentence(part.headers());
        if media_type.is("text/plain") {
            let mut hear = |text: &str| if text.is_empty() { Ok(()) } else { each(Heard::Text { sentence, text }) };
            let mut text = Utf8::default();
            while let Some(chunk) = part.chunk().await {
                hear(&text.push(&chunk?))?;
            }
            hear(text.finish())?;
        } else if media_type.is("audio/wav") {
            each(Heard::Sound { sentence, wav: part.bytes().await? })?;
        } else if media_type.is("application/json") {
            each(Heard::ToolCalls(part.bytes().await?))?;
        } else if media_type.is("image/svg+xml") {
            each(Heard::Drawing(part.bytes().await?))?;
        }
    }
    Ok(())
}

fn sentence(headers: HeadersRef<'_>) -> u64 {
    headers.get(SENTENCE).and_then(|value| str::from_utf8(value).ok()?.parse().ok()).unwrap_or_default()
}

/// The error of [`listen`]: the answer is missing or incomplete. It prints one line.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ListenError {
    /// The server cannot be reached.
    #[error("{0}; check the URL and the server")]
    Unreachable(String),
    /// The server answered with an error.
    #[error("{0}")]
    Refused(String),
    /// The response is not a multipart stream.
    #[error("the response cannot be read: {0}; check that the URL is that of a talk server")]
    NoAnswer(String),
    /// The connection ended before the answer was complete.
    #[error("the answer was cut off: {0}; ask again")]
    CutOff(String),
    /// `each` failed.
    #[error("cannot write the answer: {0}")]
    Output(#[from] io::Error),
}

impl From<Error<reqwest::Error>> for ListenError {
    fn from(error: Error<reqwest::Error>) -> ListenError {
        match error {
            Error::Transport(error) => ListenError::CutOff(root_cause(&error).to_string()),
            Error::Decode(error) if error.kind() == DecodeErrorKind::NotClosed => {
                ListenError::CutOff(error.to_string())
            }
            Error::CutOff { .. } => ListenError::CutOff(error.to_string()),
            error => ListenError::NoAnswer(error.to_string()),
        }
    }
}

impl From<reqwest::Error> for ListenError {
    fn from(error: reqwest::Error) -> ListenError {
        let why = root_cause(&error);
        match error.url() {
            Some(url) if error.is_connect() => ListenError::Unreachable(format!("cannot connect to {url}: {why}")),
            _ => ListenError::NoAnswer(why.to_string()),
        }
    }
}
