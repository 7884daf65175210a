//! The adapter that returns pieces.

use super::{
    Error, PartDecoder, Piece,
    feed::{Feed, Step},
    part_decoder::Place,
};
use bytes::Bytes;
use core::{
    iter::FusedIterator,
    pin::Pin,
    task::{Context, Poll, ready},
};
use eventwire::internal::Turn;
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
        feed: Feed<PartDecoder>,
    }
}

impl<S> Pieces<S> {
    /// Creates an adapter that reads pieces from these chunks.
    pub fn new(chunks: S, decoder: PartDecoder) -> Pieces<S> {
        Pieces { source: chunks, feed: Feed::new(decoder) }
    }

    /// Returns the length in bytes of the chunk that the last piece is a slice of.
    pub(super) fn chunk_len(&self) -> usize {
        self.feed.chunk_len()
    }

    /// Returns the bytes of what was found last.
    #[inline]
    pub(super) fn bytes(&self, place: Place) -> Bytes {
        self.feed.decoder().bytes(place, self.feed.chunk())
    }

    pub(super) fn into_source_and_feed(self) -> (S, Feed<PartDecoder>) {
        (self.source, self.feed)
    }

    /// Returns the decoder, in its state after the last item.
    pub(super) fn decoder(&self) -> &PartDecoder {
        self.feed.decoder()
    }

    /// Returns a reference to the source of the chunks.
    #[must_use]
    pub fn get_ref(&self) -> &S {
        &self.source
    }
}

impl<S, B, E> Pieces<S>
where
    S: Stream<Item = Result<B, E>> + Unpin,
    B: Into<Bytes>,
{
    /// Finds the next piece, without moving its bytes.
    #[inline(always)]
    pub(super) fn poll_found(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Step, Error<E>>>> {
        let mut turn = Turn::default();
        self.feed.poll_found(|| {
            ready!(turn.poll(context));
            Pin::new(&mut self.source).poll_next(context)
        })
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
        let mut turn = Turn::default();
        this.feed.poll(|| {
            ready!(turn.poll(context));
            this.source.as_mut().poll_next(context)
        })
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
        match self.feed.poll(|| Poll::Ready(self.source.next())) {
            Poll::Ready(item) => item,
            // An iterator is always ready.
            Poll::Pending => None,
        }
    }
}

impl<I, B, E> FusedIterator for Pieces<I>
where
    I: Iterator<Item = Result<B, E>>,
    B: Into<Bytes>,
{
}
