//! One item of an event stream, borrowed.

use super::{Block, Comment, EventId, EventRef, EventType};
use crate::encoding::{Encoded, Encoding};
use bytes::{BufMut, Bytes};
use core::time::Duration;

/// A borrowed [`Block`]; [`Decoder::decode_block`](crate::Decoder::decode_block) returns it.
///
/// It borrows from the chunk or from the decoder, and is valid until the next call to the decoder.
///
/// ```
/// use eventwire::{BlockRef, Decoder};
///
/// let mut decoder = Decoder::new();
/// let mut input = &b": hello\n\nid: 7\n\ndata: a\n\n"[..];
/// let mut found = Vec::new();
/// while let Some(block) = decoder.decode_block(&mut input)? {
///     found.push(match block {
///         BlockRef::Event(event) => format!("event {}, ID {}", event.data(), event.id()),
///         BlockRef::Comment(text) => format!("comment {text}"),
///         BlockRef::Id(id) => format!("ID {id}"),
///         _ => continue,
///     });
/// }
/// assert_eq!(found, ["comment hello", "ID 7", "event a, ID 7"]);
/// # Ok::<(), eventwire::DecodeError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BlockRef<'a> {
    /// An event.
    Event(EventRef<'a>),
    /// A comment: the text after the colon, without one leading space.
    Comment(&'a str),
    /// A reconnection time, in whole milliseconds, without an event.
    Retry(Duration),
    // Owned, because borrowed forms of the checked types would be two more public types for a rare case.
    /// An ID without an event; see [`Block::Id`].
    Id(EventId),
    /// A type without data; see [`Block::Dataless`].
    Dataless(EventType),
}

impl BlockRef<'_> {
    /// Appends the block to `buffer`; see [`Event::encode`](crate::Event::encode).
    pub fn encode(&self, buffer: &mut impl BufMut) {
        self.encoding().write(buffer);
    }

    /// Returns the block as bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Bytes {
        Bytes::from(&self.encoding())
    }

    /// Encodes the block once, to be sent to many readers; see [`Encoded`].
    #[must_use]
    pub fn encoded(&self) -> Encoded {
        Encoded::from(&self.encoding())
    }

    /// Returns how many bytes [`encode`](BlockRef::encode) writes.
    #[must_use]
    pub fn encoded_len(&self) -> usize {
        self.encoding().len
    }

    /// Returns an owned copy of the block, which you can keep.
    #[must_use]
    pub fn to_block(&self) -> Block {
        match self {
            BlockRef::Event(event) => Block::Event(event.to_event()),
            BlockRef::Comment(text) => Block::Comment(Comment::new(*text)),
            BlockRef::Retry(time) => Block::Retry(*time),
            BlockRef::Id(id) => Block::Id(id.clone()),
            BlockRef::Dataless(event_type) => Block::Dataless(event_type.clone()),
        }
    }

    fn encoding(&self) -> Encoding<'_> {
        match self {
            BlockRef::Event(event) => event.encoding(),
            BlockRef::Comment(text) => Encoding::comment(text),
            BlockRef::Retry(time) => Encoding::fields(None, None, Some(*time)),
            BlockRef::Id(id) => Encoding::fields(None, Some(id), None),
            BlockRef::Dataless(event_type) => Encoding::fields(Some(event_type), None, None),
        }
    }
}

impl<'a> From<EventRef<'a>> for BlockRef<'a> {
    fn from(event: EventRef<'a>) -> BlockRef<'a> {
        BlockRef::Event(event)
    }
}
