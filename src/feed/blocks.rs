//! All blocks of a source of chunks, not only its events.

use super::{Error, EventStream, Events, Feed, Source};
use crate::event::BlockItem;
use bytes::Bytes;
use core::{
    iter::FusedIterator,
    pin::Pin,
    task::{Context, Poll, ready},
};
use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

pin_project! {
    /// Reads all blocks of a source, comments included: a stream or an iterator of `Result<BlockItem, Error<E>>`.
    ///
    /// [`EventStream::blocks`] returns it as a stream, [`Events::blocks`] as an iterator.
    /// [`Decoder::decode_block`](crate::Decoder::decode_block) describes what a block is and when it is returned.
    #[derive(Debug)]
    #[must_use = "a stream or an iterator does nothing unless it is consumed"]
    pub struct Blocks<A> {
        #[pin]
        events: A,
    }
}

impl<A> Blocks<A> {
    /// Returns a reference to the adapter that it was created from, which has the decoder and the source.
    pub fn get_ref(&self) -> &A {
        &self.events
    }

    /// Returns a mutable reference to the adapter that it was created from. Events that you read from the adapter
    /// directly are missing in the blocks.
    pub fn get_mut(&mut self) -> &mut A {
        &mut self.events
    }

    /// Returns a pinned mutable reference to the adapter that it was created from.
    #[must_use]
    pub fn get_pin_mut(self: Pin<&mut Self>) -> Pin<&mut A> {
        self.project().events
    }

    /// Returns the adapter that it was created from, in its state after the last block.
    pub fn into_inner(self) -> A {
        self.events
    }
}

impl<I> Events<I> {
    /// Reads all blocks in order: events, comments, and the IDs, types and reconnection times of blocks without data.
    ///
    /// ```
    /// use eventwire::{Block, Events};
    /// use std::convert::Infallible;
    ///
    /// let chunks = [": hello\n\nid: 7\n", "\ndata: a\n\n"].map(Ok::<_, Infallible>);
    /// let mut found = Vec::new();
    /// for block in Events::new(chunks.into_iter()).blocks() {
    ///     found.push(match block? {
    ///         Block::Event(event) => format!("event {}", event.data()),
    ///         Block::Comment(comment) => format!("comment {}", comment.text()),
    ///         Block::Id(id) => format!("ID {id}"),
    ///         _ => continue,
    ///     });
    /// }
    /// assert_eq!(found, ["comment hello", "ID 7", "event a"]);
    /// # Ok::<(), eventwire::Error<Infallible>>(())
    /// ```
    pub fn blocks(self) -> Blocks<Events<I>> {
        Blocks { events: self }
    }
}

impl<S> EventStream<S> {
    /// Reads all blocks in order: events, comments, and the IDs, types and reconnection times of blocks without data.
    ///
    /// ```
    /// # futures_util::FutureExt::now_or_never(async {
    /// use eventwire::{Block, Comment, EventStream};
    /// use futures_util::{TryStreamExt, stream};
    /// # use std::convert::Infallible;
    ///
    /// let chunks = stream::iter([Ok::<_, Infallible>(": keep-alive\n\ndata: a\n\n")]);
    /// let mut blocks = EventStream::new(chunks).blocks();
    /// assert_eq!(blocks.try_next().await?, Some(Block::Comment(Comment::new("keep-alive"))));
    /// assert!(matches!(blocks.try_next().await?, Some(Block::Event(event)) if event.data() == "a"));
    /// # Ok::<(), eventwire::Error<Infallible>>(())
    /// # }).unwrap().unwrap();
    /// ```
    pub fn blocks(self) -> Blocks<EventStream<S>> {
        Blocks { events: self }
    }
}

impl Feed {
    /// Returns the next block in the rest of the last chunk, or the next unfinished one after the end of the source.
    /// `None` asks for the next chunk, unless the source has ended.
    fn block<E>(&mut self) -> Option<Result<BlockItem, Error<E>>> {
        let outcome = match self.source {
            Source::Open | Source::Failed => self.decoder.decode_block_bytes(&mut self.chunk),
            Source::Ending => self.decoder.finish_block(),
            Source::Ended => return None,
        };
        if self.source == Source::Ending && outcome == Ok(None) {
            self.source = Source::Ended;
        }
        outcome.map_err(Error::Decode).transpose()
    }

    fn take_in(&mut self, chunk: Bytes) {
        self.source = Source::Open;
        self.chunk = chunk;
    }

    /// Notes that the source has ended. After an error the unfinished rest is dropped, as in [`end`](Feed::end).
    fn begin_end(&mut self) {
        self.source = match self.source {
            Source::Failed => {
                self.decoder.reset();
                Source::Ended
            }
            _ => Source::Ending,
        };
    }
}

impl<I, B, E> Iterator for Blocks<Events<I>>
where
    I: Iterator<Item = Result<B, E>>,
    B: Into<Bytes>,
{
    type Item = Result<BlockItem, Error<E>>;

    fn next(&mut self) -> Option<Self::Item> {
        let Events { source, feed } = &mut self.events;
        loop {
            if let Some(item) = feed.block() {
                return Some(item);
            }
            if feed.has_ended() {
                return None;
            }
            match source.next() {
                Some(Ok(chunk)) => feed.take_in(chunk.into()),
                Some(Err(error)) => return Some(Err(feed.fail(error))),
                None => feed.begin_end(),
            }
        }
    }
}

impl<I, B, E> FusedIterator for Blocks<Events<I>>
where
    I: Iterator<Item = Result<B, E>>,
    B: Into<Bytes>,
{
}

impl<S, B, E> Stream for Blocks<EventStream<S>>
where
    S: Stream<Item = Result<B, E>>,
    B: Into<Bytes>,
{
    type Item = Result<BlockItem, Error<E>>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let (mut source, feed) = self.project().events.parts();
        loop {
            if let Some(item) = feed.block() {
                return Poll::Ready(Some(item));
            }
            if feed.has_ended() {
                return Poll::Ready(None);
            }
            match ready!(source.as_mut().poll_next(context)) {
                Some(Ok(chunk)) => feed.take_in(chunk.into()),
                Some(Err(error)) => return Poll::Ready(Some(Err(feed.fail(error)))),
                None => feed.begin_end(),
            }
        }
    }
}

impl<S, B, E> FusedStream for Blocks<EventStream<S>>
where
    S: Stream<Item = Result<B, E>>,
    B: Into<Bytes>,
{
    fn is_terminated(&self) -> bool {
        self.events.feed.source == Source::Ended
    }
}
