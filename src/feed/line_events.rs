//! The lines of a source of chunks.

use super::{
    Error,
    events::{Events, NoTimer, Reads},
    rest::Rest,
};
use crate::{
    decoder::{DecodeError, Decoder, LineDecoder},
    event::Event,
    timer::Timer,
};
use bytes::Bytes;
use core::{
    iter::FusedIterator,
    pin::Pin,
    task::{Context, Poll},
};
use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

pin_project! {
    /// Reads each line of a source as the data of an event: a stream or an iterator of `Result<Event, Error<E>>`.
    ///
    /// It is the source of the [`JsonStream`](crate::JsonStream) that [`Events::json_lines`](crate::Events::json_lines)
    /// returns.
    #[derive(Debug)]
    #[must_use = "a stream or an iterator does nothing unless it is consumed"]
    pub struct LineEvents<S, T: Timer = NoTimer> {
        #[pin]
        events: Events<S, T>,
        lines: LineDecoder,
    }
}

impl<S, T: Timer> LineEvents<S, T> {
    /// Reads the chunks of this adapter as lines, with the limit of its decoder.
    pub(crate) fn new(events: Events<S, T>) -> LineEvents<S, T> {
        LineEvents { lines: LineDecoder::new(events.decoder()), events }
    }

    /// Returns a reference to the source of the chunks.
    pub fn get_ref(&self) -> &S {
        self.events.get_ref()
    }

    /// Returns the source of the chunks. What it has returned and is not read yet is lost.
    pub fn into_inner(self) -> S {
        self.events.into_inner()
    }

    pub(crate) fn rest(&self) -> Rest<'_> {
        Rest { line: Some(self.lines.last()), ..Rest::default() }
    }
}

impl<S, T, B, E> Stream for LineEvents<S, T>
where
    S: Stream<Item = Result<B, E>>,
    T: Timer,
    B: Into<Bytes>,
{
    type Item = Result<Event, Error<E>>;

    #[inline]
    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.project();
        this.events.poll_item(context, this.lines)
    }
}

impl<S, T, B, E> FusedStream for LineEvents<S, T>
where
    S: Stream<Item = Result<B, E>>,
    T: Timer,
    B: Into<Bytes>,
{
    fn is_terminated(&self) -> bool {
        self.events.has_ended()
    }
}

impl<I, B, E> Iterator for LineEvents<I>
where
    I: Iterator<Item = Result<B, E>>,
    B: Into<Bytes>,
{
    type Item = Result<Event, Error<E>>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.events.next_item(&mut self.lines)
    }
}

impl<I, B, E> FusedIterator for LineEvents<I>
where
    I: Iterator<Item = Result<B, E>>,
    B: Into<Bytes>,
{
}

/// Why a line cannot be read.
#[derive(Debug)]
pub(super) struct LineError {
    /// The number of the line.
    line: u64,
    error: DecodeError,
}

impl<E> From<LineError> for Error<E> {
    fn from(LineError { line, error }: LineError) -> Error<E> {
        Error::Line { line, error }
    }
}

impl Reads for &mut LineDecoder {
    type Item = Event;
    type Error = LineError;

    fn is_event(_: &Event) -> bool {
        true
    }

    fn decode(&mut self, decoder: &mut Decoder, rest: &mut Bytes) -> Result<Option<Event>, LineError> {
        self.next(rest).map_err(|error| {
            if let DecodeError::InvalidUtf8(_) = error {
                *rest = Bytes::new();
                decoder.end_early();
            }
            LineError { line: self.last().number, error }
        })
    }

    fn finish(&mut self, _: &mut Decoder) -> Result<Option<Event>, LineError> {
        LineDecoder::finish(self).map_err(|error| LineError { line: self.last().number, error })
    }
}
