//! One item of an event stream.

use super::{BlockRef, Comment, Event, EventId, EventType};
use crate::encoding::{Encoded, Encoding};
use alloc::boxed::Box;
use bytes::{BufMut, Bytes};
use core::{convert::Infallible, time::Duration};

/// One item of an event stream: an event, a comment, or a field that takes effect without an event.
///
/// Use it to read or write more than events. A server can send blocks, and
/// [`Decoder::decode_block_bytes`](crate::Decoder::decode_block_bytes) reads them. A block that was read can be
/// written again. The parts of a block are checked when they are created, so nothing in them can end the block or
/// begin another.
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
    /// An ID without an event. It sets the last event ID, which a client sends when it reconnects. An empty ID
    /// clears it.
    Id(EventId),
    /// A type without data, such as `event: heartbeat` alone. It is not an event, and clients ignore it.
    Dataless(EventType),
    /// One or more blocks that are already encoded. Reading never returns this variant. It does not equal a block of
    /// another variant, even if both are written as the same bytes.
    Encoded(Encoded),
}

impl Block {
    /// Appends the block to `buffer`; see [`Event::encode`].
    pub fn encode(&self, buffer: &mut impl BufMut) {
        match self.encoding() {
            Ok(block) => block.write(buffer),
            Err(encoded) => encoded.encode(buffer),
        }
    }

    /// Returns the block as bytes. [`Block::Encoded`] shares the bytes that it contains, without a copy.
    #[must_use]
    pub fn to_bytes(&self) -> Bytes {
        match self.encoding() {
            Ok(block) => Bytes::from(&block),
            Err(encoded) => encoded.to_bytes(),
        }
    }

    /// Returns the same bytes as [`to_bytes`](Block::to_bytes), and consumes the block.
    #[inline(always)]
    #[must_use]
    pub fn into_bytes(self) -> Bytes {
        if let Block::Encoded(encoded) = self { encoded.into_bytes() } else { Bytes::from(self.to_box()) }
    }

    /// The part of [`into_bytes`](Block::into_bytes) that is not inlined. The `Bytes` is created where it is
    /// returned, so that it need not be moved.
    #[inline(never)]
    fn to_box(&self) -> Box<[u8]> {
        match self.encoding() {
            Ok(block) => Box::from(&block),
            Err(encoded) => encoded.as_ref().into(),
        }
    }

    /// Encodes the block once, to be sent to many readers; see [`Encoded`]. [`Block::Encoded`] shares the bytes that
    /// it contains.
    #[must_use]
    pub fn encoded(&self) -> Encoded {
        match self.encoding() {
            Ok(block) => Encoded::from(&block),
            Err(encoded) => encoded.clone(),
        }
    }

    /// Returns how many bytes [`encode`](Block::encode) writes.
    #[must_use]
    pub fn encoded_len(&self) -> usize {
        match self.encoding() {
            Ok(block) => block.len,
            Err(encoded) => encoded.encoded_len(),
        }
    }

    /// Borrows the block as a [`BlockRef`]. Returns `None` for [`Block::Encoded`], whose bytes are not decoded.
    ///
    /// Use it to handle the blocks of [`decode_block`](crate::Decoder::decode_block), which are borrowed, and those
    /// of [`finish_block`](crate::Decoder::finish_block), which are owned, in the same function:
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

    /// Returns the block to be written, or the bytes that are already encoded.
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

/// Copies a borrowed block into an owned one.
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

/// The items that a stream of blocks may yield: [`Event`], [`Comment`], [`Encoded`], [`Block`], or a `Result` with
/// one of them.
///
/// A stream that cannot fail yields plain items. One that can fail yields results, and an error ends the response.
/// Implement this trait for your own type to send its values directly.
///
/// ```
/// use eventwire::{Block, Event, IntoBlock};
/// use std::convert::Infallible;
///
/// struct Price(f64);
///
/// impl IntoBlock for Price {
///     type Error = Infallible;
///
///     fn into_block(self) -> Result<Block, Infallible> {
///         Ok(Event::new(format!("{:.2}", self.0)).into())
///     }
/// }
///
/// let Ok(block) = Price(41.7).into_block();
/// assert_eq!(block.to_bytes(), "data: 41.70\n\n");
/// ```
pub trait IntoBlock {
    /// The error if there is no block; [`Infallible`] if there always is one.
    type Error;

    /// Converts the item into a block.
    ///
    /// # Errors
    ///
    /// The error of a `Result`.
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
