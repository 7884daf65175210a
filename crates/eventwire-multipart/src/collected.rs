//! The adapter that returns complete parts.

use super::{
    Error, PartDecoder, Piece, Pieces, WholePart,
    collector::{Collector, DEFAULT_LIMIT},
    feed::{Decode, Feed, Step},
};
use bytes::Bytes;
use core::{
    iter::FusedIterator,
    pin::Pin,
    task::{Context, Poll, ready},
};
use eventwire::{adapters::Next, internal::Turn};
use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

pin_project! {
    /// Reads the parts of a multipart stream, each with its complete body.
    ///
    /// Over a stream of chunks it is a `Stream`, over an iterator of chunks an `Iterator`. The items are
    /// `Result<WholePart, Error<E>>`.
    ///
    /// Each part is returned as soon as it is complete. For a part that is larger than the
    /// [limit](Collected::with_max_part_size), or [truncated](Error::Truncated), an error is returned, and reading
    /// continues with the next part.
    ///
    /// ```
    /// use eventwire_multipart::{Boundary, Collected, PartDecoder};
    /// use std::convert::Infallible;
    ///
    /// let chunks =
    ///     ["--b\r\n\r\nHel", "lo\r\n--b\r\n\r\nworld\r\n--b--"].map(Ok::<_, Infallible>);
    /// let parts = Collected::new(chunks.into_iter(), PartDecoder::new(Boundary::new("b")?));
    /// let bodies: Vec<_> =
    ///     parts.map(|part| part.map(|part| part.into_body())).collect::<Result<_, _>>()?;
    /// assert_eq!(bodies, ["Hello", "world"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[derive(Clone, Debug)]
    #[must_use = "a stream or an iterator does nothing unless it is asked"]
    pub struct Collected<S> {
        #[pin]
        source: S,
        feed: Feed<Collection>,
    }
}

impl<S> Collected<S> {
    /// Creates an adapter that reads parts from these chunks.
    pub fn new(chunks: S, decoder: PartDecoder) -> Collected<S> {
        Collected::from_pieces(Pieces::new(chunks, decoder))
    }

    pub(super) fn from_pieces(pieces: Pieces<S>) -> Collected<S> {
        let (source, feed) = pieces.into_source_and_feed();
        Collected { source, feed: feed.map(|decoder| Collection { decoder, limit: DEFAULT_LIMIT, open: None }) }
    }

    /// Sets the limit on a body in bytes. It applies from the next part on. The default is 16 MiB.
    pub fn with_max_part_size(mut self, bytes: usize) -> Collected<S> {
        self.feed.decoder_mut().limit = bytes;
        self
    }

    /// Returns a reference to the source of the chunks.
    #[must_use]
    pub fn get_ref(&self) -> &S {
        &self.source
    }
}

impl<S> Collected<S>
where
    Collected<S>: Stream + Unpin,
{
    /// Returns the next part, or `None` at the end of the stream. Over an iterator, `next()` is [`Iterator::next`].
    pub fn next(&mut self) -> Next<'_, Collected<S>> {
        Next::new(self)
    }
}

impl<S, B, E> Stream for Collected<S>
where
    S: Stream<Item = Result<B, E>>,
    B: Into<Bytes>,
{
    type Item = Result<WholePart, Error<E>>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut this = self.project();
        let mut turn = Turn::default();
        this.feed.poll(|| {
            ready!(turn.poll(context));
            this.source.as_mut().poll_next(context)
        })
    }
}

impl<S, B, E> FusedStream for Collected<S>
where
    S: Stream<Item = Result<B, E>>,
    B: Into<Bytes>,
{
    fn is_terminated(&self) -> bool {
        self.feed.has_ended()
    }
}

impl<I, B, E> Iterator for Collected<I>
where
    I: Iterator<Item = Result<B, E>>,
    B: Into<Bytes>,
{
    type Item = Result<WholePart, Error<E>>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.feed.poll(|| Poll::Ready(self.source.next())) {
            Poll::Ready(item) => item,
            // An iterator is always ready.
            Poll::Pending => None,
        }
    }
}

impl<I, B, E> FusedIterator for Collected<I>
where
    I: Iterator<Item = Result<B, E>>,
    B: Into<Bytes>,
{
}

/// The decoder of whole parts.
#[derive(Clone, Debug)]
struct Collection {
    decoder: PartDecoder,
    limit: usize,
    /// The current part. It is `None` between parts, and in a part that is skipped.
    open: Option<Collector>,
}

impl Decode for Collection {
    type Item = WholePart;
    type Found = WholePart;

    fn find<E>(&mut self, chunk: &Bytes, used: &mut usize) -> Result<Option<WholePart>, Error<E>> {
        self.collect(chunk, |decoder| Decode::find(decoder, chunk, used))
    }

    fn finish<E>(&mut self) -> Result<Option<WholePart>, Error<E>> {
        self.collect(&Bytes::new(), Decode::finish)
    }

    fn own(&self, found: WholePart, _: &Bytes) -> WholePart {
        found
    }

    fn decoder(&self) -> &PartDecoder {
        &self.decoder
    }
}

impl Collection {
    /// Takes pieces of a chunk until a part is complete. `None` means that there is no further piece.
    fn collect<E>(
        &mut self,
        chunk: &Bytes,
        mut next: impl FnMut(&mut PartDecoder) -> Result<Option<Step>, Error<E>>,
    ) -> Result<Option<WholePart>, Error<E>> {
        loop {
            match next(&mut self.decoder) {
                Ok(Some(found)) => {
                    let piece = self.decoder.own(found, chunk);
                    if let Some(part) = self.add(piece, chunk.len())? {
                        return Ok(Some(part));
                    }
                }
                Ok(None) => return Ok(None),
                Err(error) => {
                    self.open = None;
                    return Err(error);
                }
            }
        }
    }

    /// Adds a piece, and returns the part that it completes, if any.
    fn add<E>(&mut self, piece: Piece, chunk_len: usize) -> Result<Option<WholePart>, Error<E>> {
        let part = self.decoder.part();
        match piece {
            Piece::PartBegin(headers) => self.open = Some(Collector::new(headers, part, self.limit)),
            Piece::Data(data) => {
                if let Some(collector) = &mut self.open {
                    collector.add(data, chunk_len).inspect_err(|_| self.open = None)?;
                }
            }
            Piece::PartEnd(end) => {
                if let Some(collector) = self.open.take() {
                    return if end.is_complete() {
                        Ok(Some(collector.into_part()))
                    } else {
                        Err(Error::Truncated { part })
                    };
                }
            }
            Piece::Close => {}
        }
        Ok(None)
    }
}
