//! The blocks and comments of a source of chunks.

use super::{Error, Events, Next, NoTimer, events::Reads};
use crate::{
    decoder::{DecodeError, Decoder},
    event::BlockItem,
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
    /// Reads all blocks of a source, comments included: a stream or an iterator of `Result<BlockItem, Error<E>>`.
    ///
    /// [`Events::blocks`] returns it, and it ends as [`Events`] does.
    /// [`Decoder::decode_block`](crate::Decoder::decode_block) describes what a block is and when it is returned.
    #[derive(Debug)]
    #[must_use = "a stream or an iterator does nothing unless it is consumed"]
    pub struct Blocks<S, T: Timer = NoTimer> {
        #[pin]
        events: Events<S, T>,
    }
}

impl<S, T: Timer> Events<S, T> {
    /// Reads all blocks in order: events, blocks without data, and comments.
    ///
    /// ```
    /// use eventwire::{BlockItem, Events};
    /// use std::convert::Infallible;
    ///
    /// let chunks = [": hello\n\nid: 7\n", "\ndata: a\n\n"].map(Ok::<_, Infallible>);
    /// let mut found = Vec::new();
    /// for item in Events::new(chunks.into_iter()).blocks() {
    ///     found.push(match item? {
    ///         BlockItem::Comment(comment) => format!("comment {}", comment.text()),
    ///         BlockItem::Block(block) => {
    ///             format!("id {:?}, data {:?}", block.id(), block.data())
    ///         }
    ///     });
    /// }
    /// assert_eq!(
    ///     found,
    ///     ["comment hello", "id Some(\"7\"), data None", "id None, data Some(\"a\")"]
    /// );
    /// # Ok::<(), eventwire::Error<Infallible>>(())
    /// ```
    pub fn blocks(self) -> Blocks<S, T> {
        Blocks { events: self }
    }
}

impl<S, T: Timer> Blocks<S, T> {
    /// Returns a reference to the adapter that it was created from, which has the decoder and the source.
    pub fn get_ref(&self) -> &Events<S, T> {
        &self.events
    }
}

impl<S, T: Timer> Blocks<S, T>
where
    Blocks<S, T>: Stream + Unpin,
{
    /// Returns the next block or comment, or `None` at the end of the stream; see [`Events::next`].
    pub fn next(&mut self) -> Next<'_, Blocks<S, T>> {
        Next::new(self)
    }
}

impl<S, T, B, E> Stream for Blocks<S, T>
where
    S: Stream<Item = Result<B, E>>,
    T: Timer,
    B: Into<Bytes>,
{
    type Item = Result<BlockItem, Error<E>>;

    #[inline]
    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.project().events.poll_item(context, AllBlocks)
    }
}

impl<S, T, B, E> FusedStream for Blocks<S, T>
where
    S: Stream<Item = Result<B, E>>,
    T: Timer,
    B: Into<Bytes>,
{
    fn is_terminated(&self) -> bool {
        self.events.has_ended()
    }
}

impl<I, B, E> Iterator for Blocks<I>
where
    I: Iterator<Item = Result<B, E>>,
    B: Into<Bytes>,
{
    type Item = Result<BlockItem, Error<E>>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.events.next_item(AllBlocks)
    }
}

impl<I, B, E> FusedIterator for Blocks<I>
where
    I: Iterator<Item = Result<B, E>>,
    B: Into<Bytes>,
{
}

struct AllBlocks;

impl Reads for AllBlocks {
    type Item = BlockItem;
    type Error = DecodeError;

    #[inline]
    fn is_event(item: &BlockItem) -> bool {
        matches!(item, BlockItem::Block(block) if block.data().is_some())
    }

    #[inline]
    fn decode(&mut self, decoder: &mut Decoder, rest: &mut Bytes) -> Result<Option<BlockItem>, DecodeError> {
        // Also if nothing is left: the last byte may have completed several items.
        decoder.decode_block_bytes(rest)
    }

    fn finish(&mut self, decoder: &mut Decoder) -> Result<Option<BlockItem>, DecodeError> {
        decoder.finish_block()
    }
}
