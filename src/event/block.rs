//! Blocks, which a stream consists of.

use super::{
    BlockRef, Data, Event, EventId, EventRef, EventType, IntoText, Label, MESSAGE, milliseconds::Milliseconds,
};
use crate::encoding::{Encoded, Encoding};
use bytes::Bytes;
use core::time::Duration;

/// A block: what stands between two blank lines of a stream, field by field.
///
/// Each of the four fields is `Some` if the stream has it. An [`Event`] is the view of a block that has data:
/// [`event`](Block::event) returns it, with the type `"message"` if the block names none, and with the last event ID if
/// the block sets none. A block without data is no event, but its ID and its `retry` take effect.
///
/// Read blocks to see what events do not show: whether a type or an ID was written, and blocks without data. Write them
/// for the same reason: exactly the fields that are `Some` are written.
///
/// ```
/// use eventwire::{Block, Decoder, Event};
/// use std::time::Duration;
///
/// let first = Block::default().with_id(7).with_retry(Duration::from_secs(3));
/// let stream = [first.to_bytes(), Block::from(Event::new("hello")).to_bytes()].concat();
/// assert_eq!(stream, b"id: 7\nretry: 3000\n\ndata: hello\n\n");
///
/// let mut decoder = Decoder::new();
/// let mut input = &stream[..];
/// let read = decoder.decode_block(&mut input)?.and_then(|item| item.block()).unwrap();
/// assert_eq!((read.id(), read.data(), read.event()), (Some("7"), None, None));
/// let read = decoder.decode_block(&mut input)?.and_then(|item| item.block()).unwrap();
/// assert_eq!((read.id(), read.event_type()), (None, None));
/// let event = read.event().unwrap();
/// assert_eq!((event.last_event_id(), event.event_type()), ("7", "message"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Two blocks are equal if their fields and their events are. Equal blocks are written as the same bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Block {
    event_type: Option<Label>,
    data: Option<Data>,
    /// The last event ID after the block: its own, or one that it inherits.
    last_event_id: Option<Label>,
    sets_id: bool,
    retry: Option<Milliseconds>,
}

impl Block {
    /// Sets the type. Unlike an [`Event`], a block with the type `"message"` is written with that type.
    #[must_use]
    pub fn with_event_type(mut self, event_type: EventType) -> Block {
        self.event_type = Some(event_type.into_named().unwrap_or(Label::constant(MESSAGE)));
        self
    }

    /// Sets the data. Each of its lines is written as a separate `data` line.
    #[must_use]
    pub fn with_data(mut self, data: impl IntoText) -> Block {
        self.data = Some(Data::from_text(data));
        self
    }

    /// Sets the ID: a number, or an [`EventId`] that is parsed from text. An empty one clears the reader's ID.
    #[must_use]
    pub fn with_id(mut self, id: impl Into<EventId>) -> Block {
        self.last_event_id = Some(id.into().into_label());
        self.sets_id = true;
        self
    }

    /// Sets the reconnection time, in whole milliseconds; see [`Event::with_retry`].
    #[must_use]
    pub fn with_retry(mut self, time: Duration) -> Block {
        self.retry = Some(time.into());
        self
    }

    /// Returns the value of the block's last `event` line, if it has one. An empty value means the type `"message"`.
    #[must_use]
    pub fn event_type(&self) -> Option<&str> {
        self.event_type.as_ref().map(Label::as_str)
    }

    /// Returns the values of the block's `data` lines, joined by LF, if it has any.
    #[must_use]
    pub fn data(&self) -> Option<&str> {
        self.data.as_ref().map(Data::as_str)
    }

    /// Returns the ID that the block sets, if any. An empty one clears the last event ID.
    #[must_use]
    pub fn id(&self) -> Option<&str> {
        if self.sets_id { self.last_event_id.as_ref().map(Label::as_str) } else { None }
    }

    /// Returns the reconnection time that the block sets, if any.
    #[must_use]
    pub fn retry(&self) -> Option<Duration> {
        self.retry.map(Milliseconds::duration)
    }

    /// Returns the event, if the block has data.
    ///
    /// Its type is `"message"` if the block has none. Its ID is the last event ID: that of the block or of an earlier
    /// one.
    #[must_use]
    pub fn event(&self) -> Option<EventRef<'_>> {
        BlockRef::from(self).event()
    }

    /// Returns the same event as [`event`](Block::event), owned.
    #[must_use]
    pub fn into_event(self) -> Option<Event> {
        let event_type = self.event_type.filter(|event_type| !matches!(event_type.as_str(), "" | MESSAGE));
        let retry = self.retry.map(Milliseconds::duration);
        Some(Event::decoded(event_type, self.data?, self.last_event_id, retry))
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

    pub(super) fn encoding(&self) -> Encoding<'_> {
        Encoding::block(self.event_type(), self.data(), self.id(), self.retry())
    }

    /// A block that the decoder has found. Its fields need no check.
    #[inline(always)]
    pub(crate) fn decoded(
        event_type: Option<Label>,
        data: Option<Data>,
        last_event_id: Option<Label>,
        sets_id: bool,
        retry: Option<Duration>,
    ) -> Block {
        Block { event_type, data, last_event_id, sets_id, retry: retry.map(Milliseconds::from) }
    }
}

/// Borrows the block.
impl<'a> From<&'a Block> for BlockRef<'a> {
    fn from(block: &'a Block) -> BlockRef<'a> {
        let last_event_id = block.last_event_id.as_ref().map(Label::as_str);
        BlockRef::decoded(block.event_type(), block.data(), last_event_id, block.sets_id, block.retry())
    }
}

/// The block that an event is written as: it has a type unless that is `"message"`, and an ID if the event
/// [has one](Event::has_id).
impl From<Event> for Block {
    fn from(event: Event) -> Block {
        let Event { event_type, data, id, retry } = event;
        let sets_id = id.is_some();
        Block { event_type, data: Some(data), last_event_id: id, sets_id, retry }
    }
}
