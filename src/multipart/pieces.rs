//! The pieces of a source of chunks.

use super::{Error, PartDecoder, Piece};
use bytes::Bytes;
use core::{
    iter::FusedIterator,
    pin::Pin,
    task::{Context, Poll, ready},
};
use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

pin_project! {
    /// The pieces of a multipart stream: a `Stream` of `Result<Piece, Error<E>>` over a stream of chunks, and an `Iterator` of them over
    /// an iterator of chunks.
    ///
    /// For a proxy, or for whoever wants each piece the moment it is there; [`Parts`](super::Parts) and
    /// [`Collected`](super::Collected) are built on it. The source gives `Result<B, E>`, where a chunk `B` is anything that is `Into<Bytes>`.
    /// It is asked for the next chunk only when the bytes of the last are used up, and no more once the stream is closed. Every piece
    /// comes before the error that follows it. If the source ends after an error of its own, the rest is not judged: there is neither a
    /// `PartEnd` nor another error.
    ///
    /// ```
    /// use eventwire::multipart::{Boundary, PartDecoder, Piece, Pieces};
    /// use std::convert::Infallible;
    ///
    /// let chunks = ["--b\r\n\r\nHel", "lo\r\n--b--"].map(Ok::<_, Infallible>);
    /// let pieces = Pieces::new(chunks.into_iter(), PartDecoder::new(Boundary::new("b")?));
    /// let pieces: Vec<Piece> = pieces.collect::<Result<_, _>>()?;
    /// assert_eq!(pieces[1..3], [Piece::Data("Hel".into()), Piece::Data("lo".into())]);
    /// assert_eq!(pieces[4], Piece::Close);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[derive(Clone, Debug)]
    #[must_use = "a stream or an iterator does nothing unless it is asked"]
    pub struct Pieces<S> {
        #[pin]
        source: S,
        feed: Feed,
    }
}

/// The decoder, the chunk it is at, and how far its source has come.
#[derive(Clone, Debug)]
struct Feed {
    decoder: PartDecoder,
    /// What is left of the chunk.
    chunk: Bytes,
    source: Source,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    Open,
    /// Its last word was an error.
    Failed,
    /// It has ended, and what that says has not all been given.
    Ending,
    /// All has been given.
    Ended,
}

impl<S> Pieces<S> {
    /// The pieces in these chunks.
    pub fn new(chunks: S, decoder: PartDecoder) -> Pieces<S> {
        Pieces { source: chunks, feed: Feed { decoder, chunk: Bytes::new(), source: Source::Open } }
    }

    /// The decoder, as it is after the last piece.
    #[must_use]
    pub fn decoder(&self) -> &PartDecoder {
        &self.feed.decoder
    }

    /// What is left of the last chunk: bytes that the source gave and that the decoder has not been told yet.
    #[must_use]
    pub fn remaining(&self) -> &Bytes {
        &self.feed.chunk
    }

    /// The source of the chunks.
    #[must_use]
    pub fn get_ref(&self) -> &S {
        &self.source
    }

    /// The source of the chunks. Chunks that are taken out of it here are missing in the parts.
    #[must_use]
    pub fn get_mut(&mut self) -> &mut S {
        &mut self.source
    }

    /// The source of the chunks; [`remaining`](Pieces::remaining) bytes are lost.
    #[must_use]
    pub fn into_inner(self) -> S {
        self.source
    }
}

impl Feed {
    /// The next piece of what is left of the chunk, or of the end. `None` asks for the next chunk, or says that all has been given.
    #[inline]
    fn piece<E>(&mut self) -> Option<Result<Piece, Error<E>>> {
        let piece = match self.source {
            Source::Open | Source::Failed => self.decoder.decode_bytes(&mut self.chunk),
            Source::Ending => self.decoder.finish_bytes(),
            Source::Ended => return None,
        };
        if self.decoder.is_closed() {
            self.source = Source::Ended;
        }
        piece.map_err(Error::Decode).transpose()
    }

    fn has_ended(&self) -> bool {
        self.source == Source::Ended
    }

    /// Takes in what the source has given.
    #[inline]
    fn take_in<B: Into<Bytes>, E>(&mut self, item: Option<Result<B, E>>) -> Option<Error<E>> {
        match item {
            Some(Ok(chunk)) => {
                self.chunk = chunk.into();
                self.source = Source::Open;
            }
            Some(Err(error)) => {
                self.source = Source::Failed;
                return Some(Error::Transport(error));
            }
            // After an error there is no telling what the rest would have been.
            None => self.source = if self.source == Source::Failed { Source::Ended } else { Source::Ending },
        }
        None
    }
}

impl<S, B, E> Stream for Pieces<S>
where
    S: Stream<Item = Result<B, E>>,
    B: Into<Bytes>,
{
    type Item = Result<Piece, Error<E>>;

    #[inline]
    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut this = self.project();
        loop {
            if let Some(item) = this.feed.piece() {
                return Poll::Ready(Some(item));
            }
            if this.feed.has_ended() {
                return Poll::Ready(None);
            }
            let item = ready!(this.source.as_mut().poll_next(context));
            if let Some(error) = this.feed.take_in(item) {
                return Poll::Ready(Some(Err(error)));
            }
        }
    }
}

impl<S, B, E> FusedStream for Pieces<S>
where
    S: Stream<Item = Result<B, E>>,
    B: Into<Bytes>,
{
    fn is_terminated(&self) -> bool {
        self.feed.has_ended()
    }
}

impl<I, B, E> Iterator for Pieces<I>
where
    I: Iterator<Item = Result<B, E>>,
    B: Into<Bytes>,
{
    type Item = Result<Piece, Error<E>>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(item) = self.feed.piece() {
                return Some(item);
            }
            if self.feed.has_ended() {
                return None;
            }
            let item = self.source.next();
            if let Some(error) = self.feed.take_in(item) {
                return Some(Err(error));
            }
        }
    }
}

impl<I, B, E> FusedIterator for Pieces<I>
where
    I: Iterator<Item = Result<B, E>>,
    B: Into<Bytes>,
{
}
