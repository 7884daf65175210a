//! A finished event, borrowed or owned.

use super::{Interpreter, State};
use crate::decoder::{
    DecodeError,
    borrowed::{Borrowed, Plain},
    last_event_id::LastEventId,
    text_buffer::TextBuffer,
    utf8,
};
use crate::event::{Block, BlockRef, Data, Event, EventRef, Label};
use crate::line::Scanned;

impl Interpreter {
    /// The event with this data and no other value, borrowed, as `decode` returns it. Each arm wraps its result,
    /// although [`borrow_value`](Interpreter::borrow_value) is the same code: wrapped after the match, `tiny/16384`
    /// takes 17 % more instructions.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(in crate::decoder) fn borrow_data<'a>(
        &'a mut self,
        data: Scanned<'a>,
    ) -> Result<Option<EventRef<'a>>, DecodeError> {
        match utf8::valid(data) {
            Some(data) => {
                let id = self.last_event_id.as_ref().map(LastEventId::as_str);
                Ok(Some(EventRef::decoded("", data, id, None)))
            }
            None => Ok(Some(self.borrow_broken(data))),
        }
    }

    /// The block with this data and no other value.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(in crate::decoder) fn borrow_value<'a>(&'a mut self, data: Scanned<'a>) -> BlockRef<'a> {
        match utf8::valid(data) {
            Some(data) => {
                let id = self.last_event_id.as_ref().map(LastEventId::as_str);
                BlockRef::decoded(None, Some(data), id, false, None)
            }
            None => self.borrow_broken_block(data),
        }
    }

    #[cold]
    fn borrow_broken_block<'a>(&'a mut self, data: Scanned<'a>) -> BlockRef<'a> {
        self.borrow_block(&Borrowed { data: Some(data), ..Borrowed::default() })
    }

    /// The block with these values and no others, borrowed.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(in crate::decoder) fn borrow_plain_block<'a>(&'a self, plain: &Plain<'a>) -> BlockRef<'a> {
        let id = self.last_event_id.as_ref().map(LastEventId::as_str);
        BlockRef::decoded(plain.event_type, plain.data, id, plain.id.is_some(), None)
    }

    /// The finished block, borrowed.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(in crate::decoder) fn borrow_block<'a>(&'a mut self, borrowed: &Borrowed<'a>) -> BlockRef<'a> {
        let sets_id = borrowed.id.is_some() || self.buffers.id().is_some();
        let sets_type = borrowed.event_type.is_some() || self.buffers.event_type().is_some();
        let has_data = borrowed.data.is_some() || !self.buffers.data.is_empty();
        let retry = self.retry;
        let (id, (event_type, data)) = self.borrow_texts(borrowed);
        BlockRef::decoded(sets_type.then_some(event_type), has_data.then_some(data), id, sets_id, retry)
    }

    #[cold]
    fn borrow_broken<'a>(&'a mut self, data: Scanned<'a>) -> EventRef<'a> {
        self.borrow_event(&Borrowed { data: Some(data), ..Borrowed::default() })
    }

    /// The event with these values and no others, borrowed.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(in crate::decoder) fn borrow_plain<'a>(&'a self, plain: &Plain<'a>) -> EventRef<'a> {
        let id = self.last_event_id.as_ref().map(LastEventId::as_str);
        EventRef::decoded(plain.event_type.unwrap_or_default(), plain.data.unwrap_or_default(), id, None)
    }

    /// The finished event, borrowed.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(in crate::decoder) fn borrow_event<'a>(&'a mut self, borrowed: &Borrowed<'a>) -> EventRef<'a> {
        let retry = self.retry;
        let (id, (event_type, data)) = self.borrow_texts(borrowed);
        EventRef::decoded(event_type, data, id, retry)
    }

    /// The last event ID, and the type and the data of the finished block, repaired where they are not UTF-8.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn borrow_texts<'a>(&'a mut self, borrowed: &Borrowed<'a>) -> (Option<&'a str>, (&'a str, &'a str)) {
        let id = self.last_event_id.as_ref().map(LastEventId::as_str);
        let event_type = valid_or(&borrowed.event_type, self.buffers.event_type.value());
        let data = valid_or(&borrowed.data, self.buffers.data.value());
        let texts = match (event_type, data) {
            (Some(event_type), Some(data)) => (event_type, data),
            _ => {
                self.state = State::Dispatched;
                let event_type = borrowed.event_type.unwrap_or(self.buffers.event_type.value());
                let data = borrowed.data.unwrap_or(self.buffers.data.value());
                self.buffers.repaired.repaired(event_type.bytes(), data.bytes())
            }
        };
        (id, texts)
    }

    /// The type of the finished event, owned, unless it is the default one.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(in crate::decoder) fn own_type(&mut self, borrowed: &Borrowed<'_>) -> Option<Label> {
        match valid_or(&borrowed.event_type, self.buffers.event_type.value()) {
            Some(text) => self.recent_type.label(text),
            None => {
                self.state = State::Dispatched;
                self.share_id();
                let event_type = borrowed.event_type.unwrap_or(self.buffers.event_type.value());
                let (event_type, _) = self.buffers.repaired.repaired(event_type.bytes(), &[]);
                // It is not needed any more, and copying the text takes memory.
                self.buffers.event_type = TextBuffer::default();
                self.recent_type.label(event_type)
            }
        }
    }

    /// The type of an event with these values, owned.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(in crate::decoder) fn own_plain_type(&mut self, plain: &Plain<'_>) -> Option<Label> {
        plain.event_type.and_then(|text| self.recent_type.label(text))
    }

    /// The buffered data of the finished event, owned.
    pub(in crate::decoder) fn take_data(&mut self) -> Data {
        match self.buffers.data.take() {
            Some(data) => data,
            None => self.own_broken_data(),
        }
    }

    #[cold]
    fn own_broken_data(&mut self) -> Data {
        self.share_id();
        utf8::repaired(self.buffers.data.value().bytes()).into()
    }

    /// Shares the ID of an owned event before its other texts are repaired, so that they are not in memory while the
    /// ID is copied.
    fn share_id(&mut self) {
        drop(self.last_event_id.as_mut().map(LastEventId::label));
    }

    /// The finished event with this type and data, owned.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(in crate::decoder) fn own(&mut self, event_type: Option<Label>, data: Data) -> Event {
        let id = self.last_event_id.as_mut().map(LastEventId::label);
        Event::decoded(event_type, data, id, self.retry)
    }

    /// The finished block, owned. `data` is in its chunk, if any is.
    pub(in crate::decoder) fn own_block(&mut self, borrowed: &Borrowed<'_>, data: Option<Data>) -> Block {
        let sets_id = borrowed.id.is_some() || self.buffers.id().is_some();
        let sets_type = borrowed.event_type.is_some() || self.buffers.event_type().is_some();
        let event_type = if sets_type { Some(self.own_any_type(borrowed)) } else { None };
        let data = data.or_else(|| (!self.buffers.data.is_empty()).then(|| self.take_data()));
        let id = self.last_event_id.as_mut().map(LastEventId::label);
        Block::decoded(event_type, data, id, sets_id, self.retry)
    }

    /// The type of the finished block, owned, even if it is the default one.
    fn own_any_type(&mut self, borrowed: &Borrowed<'_>) -> Label {
        let text =
            valid_or(&borrowed.event_type, self.buffers.event_type.value()).and_then(|text| Label::try_from(text).ok());
        match text {
            Some(short) => short,
            None => self.own_type(borrowed).unwrap_or_default(),
        }
    }

    /// The finished block, owned, if all of it is buffered.
    pub(in crate::decoder) fn own_buffered_block(&mut self) -> Block {
        self.own_block(&Borrowed::default(), None)
    }

    /// The finished event, owned, if all of it is buffered.
    pub(in crate::decoder) fn own_buffered(&mut self) -> Event {
        let event_type = self.own_type(&Borrowed::default());
        let data = self.take_data();
        self.own(event_type, data)
    }
}

/// The text of the value, or of `other` if there is none, if it is valid UTF-8.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
fn valid_or<'a>(value: &Option<Scanned<'a>>, other: Scanned<'a>) -> Option<&'a str> {
    match value {
        Some(value) => utf8::valid(*value),
        None => utf8::valid(other),
    }
}
