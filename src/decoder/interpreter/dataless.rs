//! The fields of a block without data, for callers who read all blocks.

use super::{Interpreter, State};
use crate::decoder::{borrowed::Borrowed, last_event_id::LastEventId};
use crate::event::{BlockRef, EventId, EventType};
use core::time::Duration;

impl Interpreter {
    /// Whether a block without data sets nothing.
    pub(super) fn is_empty_block(&self) -> bool {
        self.buffers.id().is_none() && self.retry.is_none() && self.buffers.event_type.value().bytes().is_empty()
    }

    /// Returns the next field of a complete block without data: its ID, its `retry`, its type. Of a block that is
    /// too large, only the `retry` is returned.
    pub(in crate::decoder) fn next_dataless(&mut self) -> Option<BlockRef<'static>> {
        match self.state {
            State::Unbuffered | State::Buffered | State::Dispatched => None,
            State::Dataless => Some(self.next_of_dataless()),
            State::TooLarge => self.take_retry().map(BlockRef::Retry),
        }
    }

    /// Whether nothing is left to do for the blocks so far: [`next_dataless`](Interpreter::next_dataless) has nothing
    /// to return, and no comment is buffered.
    #[inline(always)]
    pub(in crate::decoder) fn is_drained(&self) -> bool {
        !matches!(self.state, State::Dataless | State::TooLarge) && self.comment.is_empty()
    }

    fn next_of_dataless(&mut self) -> BlockRef<'static> {
        let block = if self.buffers.take_id() {
            let id = self.last_event_id.as_mut().map(LastEventId::label);
            BlockRef::Id(EventId::from(id.unwrap_or_default()))
        } else if let Some(time) = self.take_retry() {
            BlockRef::Retry(time)
        } else {
            let event_type = self.own_type(&Borrowed::default()).unwrap_or_default();
            self.buffers.event_type.clear();
            BlockRef::Dataless(EventType::from(event_type))
        };
        if self.is_empty_block() {
            self.begin_block();
        }
        block
    }

    /// Returns the reconnection time that the block sets. It stays in effect even if the block is rejected later.
    pub(super) fn take_retry(&mut self) -> Option<Duration> {
        self.reconnection_time = self.reconnection_time();
        self.retry.take()
    }
}
