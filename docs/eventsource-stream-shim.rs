//! The API of eventsource-stream 0.2, implemented with eventwire.

#![no_std]

extern crate alloc;

use alloc::string::{FromUtf8Error, String, ToString};
use bytes::Bytes;
use core::{
    error::Error,
    fmt::{self, Debug, Display, Formatter},
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};
use eventwire::{DecodeError, Decoder};
use futures_core::Stream;
use nom::error::{Error as NomError, ErrorKind};
use pin_project_lite::pin_project;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Event {
    pub event: String,
    pub data: String,
    pub id: String,
    pub retry: Option<Duration>,
}

impl From<eventwire::Event> for Event {
    fn from(event: eventwire::Event) -> Event {
        Event {
            event: event.event_type().into(),
            id: event.last_event_id().into(),
            retry: event.retry(),
            data: event.into_data().into(),
        }
    }
}

#[derive(Debug, PartialEq)]
pub enum EventStreamError<E> {
    /// Never returned: invalid UTF-8 becomes U+FFFD.
    Utf8(FromUtf8Error),
    /// Returned for an event that is larger than 16 MiB. The events after it follow.
    Parser(NomError<String>),
    Transport(E),
}

impl<E> From<DecodeError> for EventStreamError<E> {
    fn from(error: DecodeError) -> EventStreamError<E> {
        EventStreamError::Parser(NomError::new(error.to_string(), ErrorKind::TooLarge))
    }
}

impl<E: Display> Display for EventStreamError<E> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            EventStreamError::Utf8(error) => write!(f, "UTF8 error: {error}"),
            EventStreamError::Parser(error) => write!(f, "Parse error: {error}"),
            EventStreamError::Transport(error) => write!(f, "Transport error: {error}"),
        }
    }
}

impl<E: Debug + Display> Error for EventStreamError<E> {}

pub trait Eventsource: Sized {
    fn eventsource(self) -> EventStream<Self>;
}

impl<S, B, E> Eventsource for S
where
    S: Stream<Item = Result<B, E>>,
    B: AsRef<[u8]>,
{
    fn eventsource(self) -> EventStream<S> {
        EventStream::new(self)
    }
}

pin_project! {
    pub struct EventStream<S> {
        #[pin]
        chunks: S,
        chunk: Bytes,
        decoder: Decoder,
        ended: bool,
    }
}

impl<S> EventStream<S> {
    pub fn new(chunks: S) -> EventStream<S> {
        EventStream { chunks, chunk: Bytes::new(), decoder: Decoder::new(), ended: false }
    }

    /// Ignores an ID that contains a CR, an LF or a NUL: no stream can set such an ID.
    pub fn set_last_event_id(&mut self, id: impl Into<String>) {
        let _ = self.decoder.set_last_event_id(&id.into());
    }

    pub fn last_event_id(&self) -> &str {
        self.decoder.last_event_id()
    }
}

impl<S, B, E> Stream for EventStream<S>
where
    S: Stream<Item = Result<B, E>>,
    B: AsRef<[u8]>,
{
    type Item = Result<Event, EventStreamError<E>>;

    fn poll_next(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Self::Item>> {
        let mut this = self.project();
        loop {
            if let Some(event) = this.decoder.decode_bytes(this.chunk)? {
                return Poll::Ready(Some(Ok(event.into())));
            }
            if *this.ended {
                return Poll::Ready(None);
            }
            match ready!(this.chunks.as_mut().poll_next(context)) {
                Some(Ok(chunk)) => *this.chunk = Bytes::copy_from_slice(chunk.as_ref()),
                Some(Err(error)) => {
                    return Poll::Ready(Some(Err(EventStreamError::Transport(error))));
                }
                None => *this.ended = true,
            }
        }
    }
}
