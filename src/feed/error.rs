//! The error of the adapters.

use crate::{
    decoder::DecodeError,
    feed::{Excerpt, chain::Chain, rounded::Rounded},
};
use alloc::boxed::Box;
use core::{fmt, time::Duration};

/// The error of [`Events`](super::Events), [`Blocks`](super::Blocks) and [`Timeout`](super::Timeout): the
/// source's, the decoder's, a timeout, or text that is not an event stream.
///
/// It prints the error that it contains, and of a transport's error also the sources, on one line, so that even
/// `{error}` says what happened. It has no [`source`](core::error::Error::source), so that a printed chain of errors
/// repeats nothing. To get the contained error, use `match`:
///
/// ```
/// use eventwire::{Error, Events};
/// use std::io;
///
/// let chunks = [Ok("data: 1\n\ndata: 2"), Err(io::Error::other("connection reset"))];
/// let mut events = Events::new(chunks.into_iter());
/// assert_eq!(events.next().unwrap()?.data(), "1"); // an event before the error is not lost
/// match events.next().unwrap() {
///     Err(Error::Transport(io)) => assert_eq!(io.kind(), io::ErrorKind::Other),
///     other => panic!("{other:?}"),
/// }
/// assert!(events.next().is_none());
/// # Ok::<(), Error<io::Error>>(())
/// ```
///
/// It is printable and implements [`core::error::Error`] if `E` does. A `Box<dyn Error>` does not implement that trait;
/// if `E` is one, use [`map_transport(BoxError::from)`](crate::BoxError).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error<E> {
    /// The transport failed with this error: the source of the chunks, such as an HTTP body. Whether more items
    /// follow depends on the source.
    Transport(E),
    /// The decoder reported this error, for example because an event is larger than the limit. Decoding continues
    /// with the next event, unless the [variant](DecodeError) says that the stream has ended.
    Decode(DecodeError),
    /// A line of [JSON lines](crate::Events::json_lines) cannot be read. A line is an event to the decoder, so the
    /// error is [`EventTooLarge`](DecodeError::EventTooLarge), which is reported once, and the next line follows; or
    /// [`InvalidUtf8`](DecodeError::InvalidUtf8), with which the stream ends.
    #[non_exhaustive]
    Line {
        /// The number of the line, counted from 1.
        line: u64,
        /// What is wrong with it.
        error: DecodeError,
    },
    /// No data was received for this long, which is the [idle timeout](crate::Events::with_idle_timeout). The stream
    /// has ended.
    IdleTimeout(Duration),
    /// No event that is progress was received for this long, which is one of the [progress
    /// timeouts](crate::Events::with_progress_timeout). The stream has ended.
    ProgressTimeout(Duration),
    /// The stream is something else: JSON, the HTML page of a proxy, or a compressed body. This is the beginning of its
    /// text, as [`Decoder::ignored`](crate::Decoder::ignored) returns it. The error message contains the first 200
    /// characters, with control characters and bytes that are not UTF-8 escaped. If it looks like lines of JSON, the
    /// message says so; [`json_lines`](crate::Events::json_lines) reads them.
    ///
    /// By the standard, such a stream has no events and no errors, and so it is with [`Events`](crate::Events). A
    /// response that was [opened](https://docs.rs/eventwire-client/latest/eventwire_client/fn.open.html) returns this
    /// error at its end if it contains such text and no event. A [`JsonStream`](crate::JsonStream) also
    /// returns it for [text after events](crate::JsonError#text-that-is-no-field). The stream has ended.
    NotEventStream(Box<[u8]>),
}

impl<E> Error<E> {
    /// Converts the transport's error, for example to add context or to use one error type for two transports.
    ///
    /// ```
    /// use eventwire::{Error, Events};
    /// use std::io;
    ///
    /// let chunks = [Err::<&str, _>(io::Error::other("connection reset"))];
    /// let error = Events::new(chunks.into_iter()).next().unwrap().unwrap_err();
    /// let error = error.map_transport(|io| format!("upstream: {io}"));
    /// assert_eq!(error, Error::Transport("upstream: connection reset".to_owned()));
    /// ```
    #[must_use]
    pub fn map_transport<F>(self, map: impl FnOnce(E) -> F) -> Error<F> {
        match self {
            Error::Transport(error) => Error::Transport(map(error)),
            Error::Decode(error) => Error::Decode(error),
            Error::Line { line, error } => Error::Line { line, error },
            Error::IdleTimeout(duration) => Error::IdleTimeout(duration),
            Error::ProgressTimeout(duration) => Error::ProgressTimeout(duration),
            Error::NotEventStream(text) => Error::NotEventStream(text),
        }
    }
}

impl<E> From<DecodeError> for Error<E> {
    fn from(error: DecodeError) -> Error<E> {
        Error::Decode(error)
    }
}

impl<E: core::error::Error + 'static> fmt::Display for Error<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Transport(error) => Chain(error).fmt(f),
            Error::Decode(error) => error.fmt(f),
            Error::Line { line, error } => match error {
                DecodeError::EventTooLarge { limit } => {
                    write!(f, "line {line} is longer than the limit of {limit} bytes")
                }
                DecodeError::InvalidUtf8(error) => {
                    write!(f, "line {line} is not valid UTF-8 (at byte {})", error.offset())
                }
                _ => write!(f, "line {line}: {error}"),
            },
            Error::IdleTimeout(duration) => write!(f, "no data received for {}", Rounded(*duration)),
            Error::ProgressTimeout(duration) => write!(f, "no progress for {}", Rounded(*duration)),
            Error::NotEventStream(text) => {
                write!(f, "received text that is not an event stream: `{}`", Excerpt::new(text))?;
                // One object alone is more likely an error.
                let mut lines = text.split(|byte| *byte == b'\n').map(|line| line.starts_with(b"{"));
                match (lines.next(), lines.next()) {
                    (Some(true), Some(true)) => f.write_str("; it looks like JSON lines"),
                    _ => Ok(()),
                }
            }
        }
    }
}

/// The sources of the transport's error have been printed.
impl<E: core::error::Error + 'static> core::error::Error for Error<E> {}
