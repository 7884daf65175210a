//! The standard's buffers, for values that cannot be borrowed from a single chunk: lines across chunk boundaries,
//! and data of several lines.

use super::{borrowed::Borrowed, data_buffer::DataBuffer, open_line::Kept, text_buffer::TextBuffer};
use crate::line::Scanned;
use core::mem;

#[derive(Clone, Debug, Default)]
pub(super) struct BlockBuffers {
    /// The standard's data buffer.
    pub(super) data: DataBuffer,
    /// The standard's event type buffer.
    event_type: TextBuffer,
    /// The ID that the block sets.
    id: TextBuffer,
    /// Whether the block sets an ID, which may be empty.
    sets_id: bool,
    /// The value of an `event` or `id` line that is open.
    open_value: TextBuffer,
}

impl BlockBuffers {
    pub(super) fn event_type(&self) -> Scanned<'_> {
        self.event_type.value()
    }

    /// The ID that the block sets, if any.
    pub(super) fn id(&self) -> Option<Scanned<'_>> {
        self.sets_id.then(|| self.id.value())
    }

    /// Returns whether the block sets an ID, and clears that fact.
    pub(super) fn take_id(&mut self) -> bool {
        mem::take(&mut self.sets_id)
    }

    /// Copies the values that were borrowed from a chunk that ends.
    pub(super) fn take_over(&mut self, borrowed: &mut Borrowed<'_>) {
        if let Some(data) = borrowed.data.take() {
            self.data.push_line(data);
        }
        if let Some(event_type) = borrowed.event_type.take() {
            self.event_type.clear();
            self.event_type.push(event_type);
        }
        if let Some(id) = borrowed.id.take() {
            self.sets_id = true;
            self.id.clear();
            self.id.push(id);
        }
    }

    /// Begins the value of an open line.
    #[inline]
    pub(super) fn begin(&mut self, field: Kept) {
        match field {
            Kept::Data => self.data.begin_line(),
            Kept::EventType | Kept::Id => self.open_value.clear(),
        }
    }

    /// Adds to the value of an open line.
    #[inline]
    pub(super) fn push(&mut self, field: Kept, piece: Scanned<'_>) {
        match field {
            Kept::Data => self.data.push(piece),
            Kept::EventType | Kept::Id => self.open_value.push(piece),
        }
    }

    /// Ends the value of an open line.
    #[inline]
    pub(super) fn end(&mut self, field: Kept) {
        match field {
            Kept::Data => self.data.end_line(),
            Kept::EventType => self.event_type.take_over(&mut self.open_value),
            Kept::Id => {
                // An ID with a NUL is ignored.
                if !self.open_value.value().bytes().contains(&0) {
                    self.sets_id = true;
                    self.id.take_over(&mut self.open_value);
                }
            }
        }
    }

    /// Empties the buffers in the middle of a block.
    pub(super) fn clear(&mut self) {
        self.data.clear();
        self.sets_id = false;
        for buffer in [&mut self.event_type, &mut self.id, &mut self.open_value] {
            buffer.clear();
        }
    }

    /// Empties the buffers at the end of a block. Returns whether one of them is large.
    pub(super) fn recycle(&mut self) -> bool {
        self.sets_id = false;
        let values = [&mut self.event_type, &mut self.id, &mut self.open_value];
        values.into_iter().fold(self.data.recycle(), |any, buffer| buffer.recycle() | any)
    }
}
