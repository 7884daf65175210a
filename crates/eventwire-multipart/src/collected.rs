//! The adapter that returns complete parts.

use super::{
    Error, PartDecoder, Piece, Pieces, WholePart,
    collector::{Collector, DEFAULT_LIMIT},
};
use bytes::Bytes;
use core::{
    iter::FusedIterator,
    pin::Pin,
    task::{Context, Poll, ready},
};
use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

pin_project! {
    /// Reads the parts of a multipart stream, each with its complete body.
    ///
    /// Over a stream of chunks it is a `Stream`, over an iterator of chunks an `Iterator`. The items are
    /// `Result<WholePart, Error<E>>`.
    ///
    /// Each part is returned as soon as it is complete. For a part that is larger than the
    /// [limit](Collected::with_max_part_size), or [truncated](Error::CutOff), an error is returned, and reading
    /// continues with the next part.
    ///
    /// ```
    /// use eventwire_multipart::{Boundary, Collected, PartDecoder};
    /// use std::convert::Infallible;
    ///
    /// let chunks = ["--b\r\n\r\nHel", "lo\r\n--b\r\n\r\nworld\r\n--b--"].map(Ok::<_, Infallible>);
    /// let parts = Collected::new(chunks.into_iter(), PartDecoder::new(Boundary::new("b")?));
    /// let bodies: Vec<_> = parts.map(|part| part.map(|part| part.into_body())).collect::<Result<_, _>>()?;
    /// assert_eq!(bodies, ["Hello", "world"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[derive(Clone, Debug)]
    #[must_use = "a stream or an iterator does nothing unless it is asked"]
    pub struct Collected<S> {
        #[pin]
        pieces: Pieces<S>,
        collection: Collection,
    }
}

#[derive(Clone, Debug)]
struct Collection {
    limit: usize,
    /// The current part. It is `None` between parts, and in a part that is skipped.
    open: Option<Collector>,
}

impl<S> Collected<S> {
    /// Creates an adapter that reads parts from these chunks.
    pub fn new(chunks: S, decoder: PartDecoder) -> Collected<S> {
        Collected::of(Pieces::new(chunks, decoder))
    }

    pub(super) fn of(pieces: Pieces<S>) -> Collected<S> {
        Collected { pieces, collection: Collection { limit: DEFAULT_LIMIT, open: None } }
    }

    /// Sets the limit on a body in bytes. It applies from the next part on. The default is 16 MiB.
    pub fn with_max_part_size(mut self, bytes: usize) -> Collected<S> {
        self.collection.limit = bytes;
        self
    }

    /// Returns the decoder, in its state after the last item.
    #[must_use]
    pub fn decoder(&self) -> &PartDecoder {
        self.pieces.decoder()
    }

    /// Returns a reference to the source of the chunks.
    #[must_use]
    pub fn get_ref(&self) -> &S {
        self.pieces.get_ref()
    }
}

impl Collection {
    /// Processes a piece, and returns the item that it completes, if any. `part` is the number of the current part,
    /// and `chunk_len` the length of the current chunk in bytes.
    fn take_in<E>(
        &mut self,
        piece: Result<Piece, Error<E>>,
        part: u64,
        chunk_len: usize,
    ) -> Option<Result<WholePart, Error<E>>> {
        match piece {
            Ok(Piece::PartBegin(headers)) => {
                self.open = Some(Collector::new(headers, part, self.limit));
                None
            }
            Ok(Piece::Data(data)) => {
                let error = self.open.as_mut()?.add(data, chunk_len).err()?;
                self.open = None;
                Some(Err(error))
            }
            Ok(Piece::PartEnd(end)) => {
                let collector = self.open.take()?;
                Some(if end.is_complete() { Ok(collector.into_part()) } else { Err(Error::CutOff { part }) })
            }
            Ok(Piece::Close) => None,
            Err(error) => {
                // A decoder error ends the current part. After an error of the source, the part may continue.
                if !matches!(error, Error::Transport(_)) {
                    self.open = None;
                }
                Some(Err(error))
            }
        }
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
        loop {
            let Some(piece) = ready!(this.pieces.as_mut().poll_next(context)) else { return Poll::Ready(None) };
            if let Some(item) = this.collection.take_in(piece, this.pieces.decoder().part(), this.pieces.chunk_len()) {
                return Poll::Ready(Some(item));
            }
        }
    }
}

impl<S, B, E> FusedStream for Collected<S>
where
    S: Stream<Item = Result<B, E>>,
    B: Into<Bytes>,
{
    fn is_terminated(&self) -> bool {
        self.pieces.is_terminated()
    }
}

impl<I, B, E> Iterator for Collected<I>
where
    I: Iterator<Item = Result<B, E>>,
    B: Into<Bytes>,
{
    type Item = Result<WholePart, Error<E>>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let piece = self.pieces.next()?;
            if let Some(item) = self.collection.take_in(piece, self.pieces.decoder().part(), self.pieces.chunk_len()) {
                return Some(item);
            }
        }
    }
}

impl<I, B, E> FusedIterator for Collected<I>
where
    I: Iterator<Item = Result<B, E>>,
    B: Into<Bytes>,
{
}
