//! Makes events and blocks from a block that is complete.

use super::{
    DecodeError,
    borrowed_fields::{AsciiFields, BorrowedFields},
    last_event_id::LastEventId,
    open_block::OpenBlock,
    recent_type::RecentType,
    utf8,
};
use crate::{
    event::{Block, BlockRef, Data, Event, EventRef, Label},
    line::Scanned,
};

/// A complete block whose ID has taken effect, with the last event ID and the type that owned events share.
pub(super) struct FinishedBlock<'d> {
    block: &'d mut OpenBlock,
    last_event_id: &'d mut Option<LastEventId>,
    recent_type: &'d mut RecentType,
}

impl<'d> FinishedBlock<'d> {
    #[inline(always)]
    pub(super) fn new(
        block: &'d mut OpenBlock,
        last_event_id: &'d mut Option<LastEventId>,
        recent_type: &'d mut RecentType,
    ) -> FinishedBlock<'d> {
        FinishedBlock { block, last_event_id, recent_type }
    }

    /// The event with this data and the type and ID of `plain`, borrowed, as `decode` returns it. The data is separate,
    /// because that of a lone line need not be ASCII. Each arm wraps its result: wrapped after the match, `tiny/16384`
    /// takes 17 % more instructions.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn plain_event(
        self,
        plain: &AsciiFields<'d>,
        data: Scanned<'d>,
    ) -> Result<Option<EventRef<'d>>, DecodeError> {
        match utf8::valid(data) {
            Some(data) => {
                let event_type = plain.event_type.unwrap_or_default();
                Ok(Some(EventRef::decoded(event_type, data, id_in_effect(self.last_event_id), None)))
            }
            None => Ok(Some(self.broken_event(data))),
        }
    }

    /// The fields are ASCII, so only data without other values is not UTF-8.
    #[cold]
    fn broken_event(self, data: Scanned<'d>) -> EventRef<'d> {
        self.event(&BorrowedFields { data: Some(data), ..BorrowedFields::default() })
    }

    /// The finished event, borrowed.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn event(self, borrowed: &BorrowedFields<'d>) -> EventRef<'d> {
        let retry = self.block.retry();
        let id = id_in_effect(self.last_event_id);
        let (event_type, data) = self.block.texts(borrowed);
        EventRef::decoded(event_type, data, id, retry)
    }

    /// The block with this data and the type and ID of `plain`, borrowed.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn plain_block(self, plain: &AsciiFields<'d>, data: Scanned<'d>) -> BlockRef<'d> {
        match utf8::valid(data) {
            Some(data) => self.text_block(plain, data),
            None => self.broken_block(data),
        }
    }

    /// The same if the data is text.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn text_block(self, plain: &AsciiFields<'d>, data: &'d str) -> BlockRef<'d> {
        let id = id_in_effect(self.last_event_id);
        BlockRef::decoded(plain.event_type, Some(data), id, plain.id.is_some(), None)
    }

    /// As for an event.
    #[cold]
    fn broken_block(self, data: Scanned<'d>) -> BlockRef<'d> {
        self.block(&BorrowedFields { data: Some(data), ..BorrowedFields::default() })
    }

    /// The finished block, borrowed.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn block(self, borrowed: &BorrowedFields<'d>) -> BlockRef<'d> {
        let (sets_type, has_data) = (self.block.sets_type(borrowed), self.block.has_data(borrowed));
        let (sets_id, retry) = (self.block.sets_id(borrowed), self.block.retry());
        // Without an event, the ID that it would inherit is not visible, and must not make two blocks unequal.
        let id = self.last_event_id.as_ref().filter(|_| has_data || sets_id).map(LastEventId::as_str);
        let (event_type, data) = self.block.texts(borrowed);
        BlockRef::decoded(sets_type.then_some(event_type), has_data.then_some(data), id, sets_id, retry)
    }

    /// The type of the finished event, owned, unless it is the default one.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn own_type(&mut self, borrowed: &BorrowedFields<'_>) -> Option<Label> {
        match self.block.valid_type(borrowed) {
            Some(text) => self.recent_type.label(text),
            None => Some(self.repaired_type(borrowed)),
        }
    }

    /// The type of an event with these values, owned.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn own_plain_type(&mut self, plain: &AsciiFields<'_>) -> Option<Label> {
        plain.event_type.and_then(|text| self.recent_type.label(text))
    }

    /// The stored data of the finished event, owned.
    fn take_data(&mut self) -> Data {
        match self.block.take_data() {
            Some(data) => data,
            None => {
                self.share_id();
                self.block.repaired_data()
            }
        }
    }

    /// Shares the ID of an owned event before its other texts are repaired, so that they are not in memory while the
    /// ID is copied.
    #[cold]
    fn share_id(&mut self) {
        drop(self.last_event_id.as_mut().map(LastEventId::label));
    }

    /// The finished event with this type and data, owned.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn own(self, event_type: Option<Label>, data: Data) -> Event {
        let id = self.last_event_id.as_mut().map(LastEventId::label);
        Event::decoded(event_type, data, id, self.block.retry())
    }

    /// The finished event, owned, if its data is stored. It is made as `T`: moving it takes as long as making it.
    #[inline(never)]
    pub(super) fn own_stored<T>(
        mut self,
        borrowed: &BorrowedFields<'_>,
        returned: impl Fn(Result<Option<Event>, DecodeError>) -> T,
    ) -> T {
        let event_type = self.own_type(borrowed);
        let data = self.take_data();
        returned(Ok(Some(self.own(event_type, data))))
    }

    /// The block with these values and this data, owned.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn own_plain_block(self, plain: &AsciiFields<'_>, data: Option<Data>) -> Block {
        let event_type = plain.event_type.map(|text| self.recent_type.any_label(text));
        let id = self.last_event_id.as_mut().map(LastEventId::label);
        Block::decoded(event_type, data, id, plain.id.is_some(), None)
    }

    /// The finished block, owned. `data` is its data if that is borrowed.
    pub(super) fn own_block(mut self, borrowed: &BorrowedFields<'_>, data: Option<Data>) -> Block {
        let (sets_type, sets_id) = (self.block.sets_type(borrowed), self.block.sets_id(borrowed));
        let has_data = self.block.has_data(borrowed);
        let event_type = if sets_type { Some(self.own_any_type(borrowed)) } else { None };
        let data = data.or_else(|| self.block.has_stored_data().then(|| self.take_data()));
        // As for a borrowed block.
        let id = self.last_event_id.as_mut().filter(|_| has_data || sets_id).map(LastEventId::label);
        Block::decoded(event_type, data, id, sets_id, self.block.retry())
    }

    /// The type of the finished block, owned, even if it is the default one.
    fn own_any_type(&mut self, borrowed: &BorrowedFields<'_>) -> Label {
        match self.block.valid_type(borrowed) {
            Some(text) => self.recent_type.any_label(text),
            None => self.repaired_type(borrowed),
        }
    }

    /// It contains U+FFFD, so it is not the default type.
    #[cold]
    fn repaired_type(&mut self, borrowed: &BorrowedFields<'_>) -> Label {
        self.share_id();
        self.recent_type.any_label(self.block.repaired_type(borrowed))
    }
}

#[inline(always)]
fn id_in_effect(id: &Option<LastEventId>) -> Option<&str> {
    id.as_ref().map(LastEventId::as_str)
}
