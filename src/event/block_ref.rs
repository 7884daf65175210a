//! Borrowed blocks.

use super::{Block, Data, EventRef, Label, milliseconds::Milliseconds};
use crate::encoding::Encoding;
use core::time::Duration;

/// A borrowed [`Block`]; [`Decoder::decode_block`](crate::Decoder::decode_block) returns it.
///
/// It borrows from the chunk or from the decoder, and is valid until the next call to the decoder.
///
/// ```
/// let mut decoder = eventwire::Decoder::new();
/// let mut input = &b"event: message\ndata: a\n\n"[..];
/// let block = decoder.decode_block(&mut input)?.and_then(|item| item.block()).unwrap();
/// assert_eq!(
///     (block.event_type(), block.data(), block.id()),
///     (Some("message"), Some("a"), None)
/// );
/// # Ok::<(), eventwire::DecodeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BlockRef<'a> {
    event_type: Option<&'a str>,
    data: Option<&'a str>,
    /// The last event ID after the block: its own, or one that it inherits.
    last_event_id: Option<&'a str>,
    sets_id: bool,
    retry: Option<Milliseconds>,
}

impl<'a> BlockRef<'a> {
    /// A block that the decoder has found. Its fields need no check.
    #[inline(always)]
    pub(crate) fn decoded(
        event_type: Option<&'a str>,
        data: Option<&'a str>,
        last_event_id: Option<&'a str>,
        sets_id: bool,
        retry: Option<Duration>,
    ) -> BlockRef<'a> {
        BlockRef { event_type, data, last_event_id, sets_id, retry: retry.map(Milliseconds::from) }
    }

    /// Returns the value of the block's last `event` line, if it has one; see [`Block::event_type`].
    #[inline]
    #[must_use]
    pub const fn event_type(&self) -> Option<&'a str> {
        self.event_type
    }

    /// Returns the values of the block's `data` lines, joined by LF, if it has any.
    #[inline]
    #[must_use]
    pub const fn data(&self) -> Option<&'a str> {
        self.data
    }

    /// Returns the ID that the block sets, if any; see [`Block::id`].
    #[inline]
    #[must_use]
    pub const fn id(&self) -> Option<&'a str> {
        if self.sets_id { self.last_event_id } else { None }
    }

    /// Returns the reconnection time that the block sets, if any.
    #[inline]
    #[must_use]
    pub fn retry(&self) -> Option<Duration> {
        self.retry.map(Milliseconds::duration)
    }

    /// Returns the event, if the block has data; see [`Block::event`].
    #[inline]
    #[must_use]
    pub fn event(&self) -> Option<EventRef<'a>> {
        Some(EventRef::decoded(self.event_type.unwrap_or_default(), self.data?, self.last_event_id, self.retry()))
    }

    pub(super) fn encoding(&self) -> Encoding<'a> {
        Encoding::block(self.event_type, self.data, self.id(), self.retry())
    }

    /// Returns an owned copy of the block, which you can keep.
    #[must_use]
    pub fn to_block(&self) -> Block {
        Block::decoded(
            self.event_type.map(Label::from_text),
            self.data.map(Data::from_text),
            self.last_event_id.map(Label::from_text),
            self.sets_id,
            self.retry(),
        )
    }
}
