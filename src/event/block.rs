//! One item of an event stream.

use super::{BlockRef, Comment, Event, EventId, EventType};
use crate::encoding::{Encoded, Encoding};
use alloc::boxed::Box;
use bytes::{BufMut, Bytes};
use core::{convert::Infallible, time::Duration};

/// One item of an event stream: an event, a comment, or a field that takes effect without an event.
///
/// A server sends blocks, and [`Decoder::decode_block_bytes`](crate::Decoder::decode_block_bytes) reads them. What is read can be
/// written again. Its parts are checked when they are made, so nothing in a block can end it or begin another.
///
/// ```
/// use eventwire::{Block, Comment, Event};
/// use std::time::Duration;
///
/// let mut stream = Vec::new();
/// let welcome = [Block::Retry(Duration::from_secs(3)), Comment::new("welcome").into(), Event::new("1").into()];
/// for block in welcome {
///     block.encode(&mut stream);
/// }
/// assert_eq!(stream, b"retry: 3000\n\n: welcome\n\ndata: 1\n\n");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Block {
    /// An event.
    Event(Event),
    /// A comment.
    Comment(Comment),
    /// A reconnection time, in whole milliseconds, without an event.
    Retry(Duration),
    /// An ID without an event: it moves the last event ID, and a client that reconnects sends it. An empty one clears that.
    Id(EventId),
    /// A type without data, such as `event: heartbeat` alone. It is no event, and clients ignore it.
    Dataless(EventType),
    /// Bytes that were written before. Reading never returns this variant. It does not equal a block of another kind that
    /// would be written the same way.
    Encoded(Encoded),
}

impl Block {
    /// Writes the block at the end of `buffer`; see [`Event::encode`].
    pub fn encode(&self, buffer: &mut impl BufMut) {
        match self.encoding() {
            Ok(block) => block.write(buffer),
            Err(encoded) => encoded.encode(buffer),
        }
    }

    /// The block in bytes of its own, or in those that it is already.
    #[must_use]
    pub fn to_bytes(&self) -> Bytes {
        match self.encoding() {
            Ok(block) => Bytes::from(&block),
            Err(encoded) => encoded.to_bytes(),
        }
    }

    /// What [`to_bytes`](Block::to_bytes) returns, of a block that is not needed any more.
    #[inline(always)]
    #[must_use]
    pub fn into_bytes(self) -> Bytes {
        if let Block::Encoded(encoded) = self { encoded.into_bytes() } else { Bytes::from(self.to_box()) }
    }

    /// What [`into_bytes`](Block::into_bytes) does not inline. The `Bytes` is made where it is returned, so that it need not
    /// be moved.
    #[inline(never)]
    fn to_box(&self) -> Box<[u8]> {
        match self.encoding() {
            Ok(block) => Box::from(&block),
            Err(encoded) => encoded.as_ref().into(),
        }
    }

    /// The block in bytes of its own, or in those that it is already, which many readers share; see [`Encoded`].
    #[must_use]
    pub fn encoded(&self) -> Encoded {
        match self.encoding() {
            Ok(block) => Encoded::from(&block),
            Err(encoded) => encoded.clone(),
        }
    }

    /// How many bytes [`encode`](Block::encode) writes.
    #[must_use]
    pub fn encoded_len(&self) -> usize {
        match self.encoding() {
            Ok(block) => block.len,
            Err(encoded) => encoded.encoded_len(),
        }
    }

    /// The block, borrowed, or `None` for [`Block::Encoded`], of which only the bytes are known.
    ///
    /// With it, one function can take the blocks of [`decode_block`](crate::Decoder::decode_block) and those of
    /// [`finish_block`](crate::Decoder::finish_block):
    ///
    /// ```
    /// use eventwire::{Block, BlockRef, Comment, Event};
    ///
    /// let block = Block::from(Comment::new("still here"));
    /// assert_eq!(block.as_block_ref(), Some(BlockRef::Comment("still here")));
    /// assert_eq!(Block::from(Event::new("a").encoded()).as_block_ref(), None);
    /// ```
    #[must_use]
    pub fn as_block_ref(&self) -> Option<BlockRef<'_>> {
        match self {
            Block::Event(event) => Some(BlockRef::Event(event.into())),
            Block::Comment(comment) => Some(BlockRef::Comment(comment.text())),
            Block::Retry(time) => Some(BlockRef::Retry(*time)),
            Block::Id(id) => Some(BlockRef::Id(id.clone())),
            Block::Dataless(event_type) => Some(BlockRef::Dataless(event_type.clone())),
            Block::Encoded(_) => None,
        }
    }

    /// What is to be written, or what has been written before.
    fn encoding(&self) -> Result<Encoding<'_>, &Encoded> {
        Ok(match self {
            Block::Event(event) => event.encoding(),
            Block::Comment(comment) => comment.encoding(),
            Block::Retry(time) => Encoding::fields(None, None, Some(*time)),
            Block::Id(id) => Encoding::fields(None, Some(id), None),
            Block::Dataless(event_type) => Encoding::fields(Some(event_type), None, None),
            Block::Encoded(encoded) => return Err(encoded),
        })
    }
}

/// Blocks that were read, kept for later.
impl From<BlockRef<'_>> for Block {
    fn from(block: BlockRef<'_>) -> Block {
        block.to_block()
    }
}

impl From<Event> for Block {
    fn from(event: Event) -> Block {
        Block::Event(event)
    }
}

impl From<Comment> for Block {
    fn from(comment: Comment) -> Block {
        Block::Comment(comment)
    }
}

impl From<Encoded> for Block {
    fn from(encoded: Encoded) -> Block {
        Block::Encoded(encoded)
    }
}

/// What a stream of blocks may give: an [`Event`], a [`Comment`], an [`Encoded`] or a [`Block`], or a `Result` of what becomes a block.
///
/// A stream that cannot fail need not say so at each item, and one that can ends with its error. Implement it for a type of your own to
/// send that directly.
pub trait IntoBlock {
    /// Why there is no block; [`Infallible`] where there always is one.
    type Error;

    /// The block.
    ///
    /// # Errors
    ///
    /// Those of a `Result`.
    fn into_block(self) -> Result<Block, Self::Error>;
}

impl IntoBlock for Block {
    type Error = Infallible;

    fn into_block(self) -> Result<Block, Infallible> {
        Ok(self)
    }
}

impl IntoBlock for Event {
    type Error = Infallible;

    fn into_block(self) -> Result<Block, Infallible> {
        Ok(self.into())
    }
}

impl IntoBlock for Comment {
    type Error = Infallible;

    fn into_block(self) -> Result<Block, Infallible> {
        Ok(self.into())
    }
}

impl IntoBlock for Encoded {
    type Error = Infallible;

    fn into_block(self) -> Result<Block, Infallible> {
        Ok(self.into())
    }
}

impl<F: Into<Block>, E> IntoBlock for Result<F, E> {
    type Error = E;

    fn into_block(self) -> Result<Block, E> {
        self.map(Into::into)
    }
}
