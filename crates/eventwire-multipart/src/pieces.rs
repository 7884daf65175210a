//! The adapter that returns pieces.

use super::{DecodeError, Error, PartDecoder, Piece};
use bytes::Bytes;
use core::{
    iter::FusedIterator,
    pin::Pin,
    task::{Context, Poll, ready},
};
use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

pin_project! {
    /// Reads a multipart stream piece by piece, each as soon as it arrives, for example in a proxy.
    ///
    /// Over a stream of chunks it is a `Stream`, over an iterator of chunks an `Iterator`. The items are
    /// `Result<Piece, Error<E>>`. [`Parts`](super::Parts) and [`Collected`](super::Collected) are built on it.
    ///
    /// The items of the source are `Result<B, E>` with `B: Into<Bytes>`. The source is polled only when the last
    /// chunk has been decoded, and never after the end of the stream. An error is returned after all pieces before
    /// it. If the source fails and then ends, neither a `PartEnd` nor another error is returned for an unfinished
    /// part.
    ///
    /// ```
    /// use eventwire_multipart::{Boundary, PartDecoder, Piece, Pieces};
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

/// The decoder, its current chunk, and the state of the source.
#[derive(Clone, Debug)]
struct Feed {
    decoder: PartDecoder,
    /// The part of the current chunk that has not been decoded.
    chunk: Bytes,
    /// The length of the complete chunk in bytes.
    chunk_len: usize,
    source: Source,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    Open,
    /// The source's last item was an error.
    Failed,
    /// The source has ended, and the decoder may have pieces left.
    Ending,
    /// Everything has been returned.
    Ended,
}

impl<S> Pieces<S> {
    /// Creates an adapter that reads pieces from these chunks.
    pub fn new(chunks: S, decoder: PartDecoder) -> Pieces<S> {
        Pieces { source: chunks, feed: Feed { decoder, chunk: Bytes::new(), chunk_len: 0, source: Source::Open } }
    }

    /// Returns the length in bytes of the chunk that the last piece is a slice of.
    pub(super) fn chunk_len(&self) -> usize {
        self.feed.chunk_len
    }

    /// Returns the decoder, in its state after the last item.
    #[must_use]
    pub fn decoder(&self) -> &PartDecoder {
        &self.feed.decoder
    }

    /// Returns a reference to the source of the chunks.
    #[must_use]
    pub fn get_ref(&self) -> &S {
        &self.source
    }
}

impl Feed {
    /// Returns the next piece in the rest of the chunk, or at the end of the stream. `None` means that the next
    /// chunk is needed, or that everything has been returned.
    #[inline]
    fn piece<E>(&mut self) -> Option<Result<Piece, Error<E>>> {
        let piece = match self.source {
            Source::Open | Source::Failed => self.decoder.decode_bytes(&mut self.chunk),
            Source::Ending => self.last_piece(),
            Source::Ended => return None,
        };
        if self.decoder.is_closed() {
            self.source = Source::Ended;
        }
        piece.map_err(Error::Decode).transpose()
    }

    // Not inlined, so that the loop over the pieces is: 7 % of the speed of `Parts`.
    #[cold]
    fn last_piece(&mut self) -> Result<Option<Piece>, DecodeError> {
        Ok(self.decoder.finish()?.map(Piece::from))
    }

    fn has_ended(&self) -> bool {
        self.source == Source::Ended
    }

    /// Processes the source's next item.
    #[inline]
    fn take_in<B: Into<Bytes>, E>(&mut self, item: Option<Result<B, E>>) -> Option<Error<E>> {
        match item {
            Some(Ok(chunk)) => {
                self.chunk = chunk.into();
                self.chunk_len = self.chunk.len();
                self.source = Source::Open;
            }
            Some(Err(error)) => {
                self.source = Source::Failed;
                return Some(Error::Transport(error));
            }
            // After an error it is unknown what is missing, so the decoder is not finished: its last pieces could
            // be wrong.
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
