//! A part whose body is read on demand.

use super::{
    Error, Headers, HeadersRef, MediaType, PartEnd, Piece, Pieces, WholePart,
    collector::{Collector, DEFAULT_LIMIT},
};
use bytes::Bytes;
use core::{
    future::poll_fn,
    pin::Pin,
    task::{Context, Poll, ready},
};
use futures_core::{FusedStream, Stream};

/// A part returned by [`Parts::next`](super::Parts::next). Read its body as it arrives with [`chunk`](Part::chunk),
/// or completely with [`bytes`](Part::bytes).
///
/// It is also a `Stream` of `Result<Bytes, Error<E>>`. If it is dropped before the end of its body, the next call
/// of `Parts::next` skips the rest.
#[derive(Debug)]
pub struct Part<'p, S> {
    pieces: &'p mut Pieces<S>,
    progress: Progress,
}

/// The headers of a part, and how far its body has been read.
#[derive(Debug)]
pub(super) struct Progress {
    pub(super) headers: Headers,
    state: State,
}

#[derive(Debug)]
enum State {
    Open,
    Ended(PartEnd),
    /// An error was returned in place of its end.
    Failed,
}

/// What a piece means for the current part.
pub(super) enum Step<E> {
    Chunk(Bytes),
    Failure(Error<E>),
    End,
}

impl Progress {
    pub(super) fn new(headers: Headers) -> Progress {
        Progress { headers, state: State::Open }
    }

    pub(super) fn is_open(&self) -> bool {
        matches!(self.state, State::Open)
    }

    pub(super) fn part_end(&self) -> Option<PartEnd> {
        match self.state {
            State::Ended(end) => Some(end),
            State::Open | State::Failed => None,
        }
    }

    /// Processes the next piece of the stream.
    pub(super) fn take_in<E>(&mut self, piece: Option<Result<Piece, Error<E>>>) -> Step<E> {
        match piece {
            Some(Ok(Piece::Data(data))) => Step::Chunk(data),
            Some(Ok(Piece::PartEnd(end))) => {
                self.state = State::Ended(end);
                Step::End
            }
            Some(Err(error)) => {
                if !matches!(error, Error::Transport(_)) {
                    self.state = State::Failed;
                }
                Step::Failure(error)
            }
            // The source ended after an error, so it is unknown what is missing.
            None | Some(Ok(Piece::PartBegin(_) | Piece::Close)) => {
                self.state = State::Failed;
                Step::End
            }
        }
    }

    /// Returns the complete part. A part that failed has no end, and is an error.
    pub(super) fn into_whole<E>(self, collector: Collector, part: u64) -> Result<WholePart, Error<E>> {
        let Some(end) = self.part_end() else {
            return Err(Error::CutOff { part });
        };
        Ok(WholePart::decoded(self.headers, collector.into_bytes(), end))
    }
}

/// Returns the body of a part, or an error if the part is truncated.
pub(super) fn complete<E>(whole: WholePart, part: u64) -> Result<Bytes, Error<E>> {
    if whole.is_cut_off() { Err(Error::CutOff { part }) } else { Ok(whole.into_body()) }
}

impl<'p, S> Part<'p, S> {
    pub(super) fn new(pieces: &'p mut Pieces<S>, headers: Headers) -> Part<'p, S> {
        Part { pieces, progress: Progress::new(headers) }
    }

    /// Returns the headers.
    #[must_use]
    pub fn headers(&self) -> HeadersRef<'_> {
        self.progress.headers.as_ref()
    }

    /// Returns the media type from the `Content-Type` header; `None` without that header.
    #[must_use]
    pub fn media_type(&self) -> Option<MediaType<'_>> {
        self.progress.headers.media_type()
    }

    /// Returns how the part ended; `None` until [`chunk`](Part::chunk) has returned `None`, and if the part ended
    /// with an error.
    #[must_use]
    pub fn part_end(&self) -> Option<PartEnd> {
        self.progress.part_end()
    }
}

impl<S, B, E> Part<'_, S>
where
    S: Stream<Item = Result<B, E>> + Unpin,
    B: Into<Bytes>,
{
    /// Returns the next bytes of the body as soon as they arrive; `None` at its end.
    ///
    /// It is cancel safe: no data is lost if the future is dropped.
    pub async fn chunk(&mut self) -> Option<Result<Bytes, Error<E>>> {
        poll_fn(|context| self.poll_chunk(context)).await
    }

    /// Reads the rest of the body, up to 16 MiB. Use [`whole_up_to`](Part::whole_up_to) for another limit.
    ///
    /// # Errors
    ///
    /// [`PartTooLarge`](Error::PartTooLarge), [`CutOff`](Error::CutOff) if the stream ends within the part, or any
    /// error that occurs before the part is complete.
    pub async fn bytes(self) -> Result<Bytes, Error<E>> {
        let part = self.pieces.decoder().part();
        complete(self.whole().await?, part)
    }

    /// Reads the rest of the body, up to 16 MiB, and returns it with the headers.
    ///
    /// A part that is truncated by the end of the stream is returned and [flagged](WholePart::is_cut_off). If the
    /// decoder [requires a close delimiter](super::PartDecoder::require_close), it is an error.
    ///
    /// # Errors
    ///
    /// [`PartTooLarge`](Error::PartTooLarge), or any error that occurs before the part is complete.
    pub async fn whole(self) -> Result<WholePart, Error<E>> {
        self.whole_up_to(DEFAULT_LIMIT).await
    }

    /// Reads the rest of the body like [`whole`](Part::whole), with another limit in bytes.
    ///
    /// # Errors
    ///
    /// The same as [`whole`](Part::whole).
    pub async fn whole_up_to(mut self, limit: usize) -> Result<WholePart, Error<E>> {
        let part = self.pieces.decoder().part();
        let mut collector = Collector::new(limit);
        while let Some(chunk) = self.chunk().await {
            collector.add(chunk?, self.headers()).map_err(|error| error.of_part(part))?;
        }
        self.progress.into_whole(collector, part)
    }

    fn poll_chunk(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, Error<E>>>> {
        if !self.progress.is_open() {
            return Poll::Ready(None);
        }
        let piece = ready!(Pin::new(&mut *self.pieces).poll_next(context));
        Poll::Ready(self.progress.take_in(piece).into_item())
    }
}

impl<E> Step<E> {
    pub(super) fn into_item(self) -> Option<Result<Bytes, Error<E>>> {
        match self {
            Step::Chunk(chunk) => Some(Ok(chunk)),
            Step::Failure(error) => Some(Err(error)),
            Step::End => None,
        }
    }
}

impl<S, B, E> FusedStream for Part<'_, S>
where
    S: Stream<Item = Result<B, E>> + Unpin,
    B: Into<Bytes>,
{
    fn is_terminated(&self) -> bool {
        !self.progress.is_open()
    }
}

impl<S, B, E> Stream for Part<'_, S>
where
    S: Stream<Item = Result<B, E>> + Unpin,
    B: Into<Bytes>,
{
    type Item = Result<Bytes, Error<E>>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.get_mut().poll_chunk(context)
    }
}
