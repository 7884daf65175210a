//! The standard's buffers, for values that cannot be borrowed from a single chunk: lines across chunk boundaries,
//! and data of several lines.
//!
//! # How much memory a decoder uses
//!
//! This is the proof of the table at [`Decoder::with_max_event_size`](super::Decoder::with_max_event_size), which
//! `tests/it/memory/search.rs` attacks. The bound is a sum of buffers and not the worst known stream, because a search
//! found a worse stream within a minute. All sizes are multiples of the limit, *L*. The memory is that of:
//!
//! | buffer | contents | capacity |
//! |---|--:|--:|
//! | `data`, `event_type`, `id` | together 1, because each byte in them counts towards the block's size | 1 each |
//! | `repaired`: type and data, or an earlier ID of the block | 3 for each invalid byte of the two; 1 for the ID | 3 |
//! | the last event ID | 1, or 3 if invalid; it may be from an earlier block | 3 |
//! | the comment's line | 1 | 1 |
//! | the comment's repaired text | 3 | 3 |
//! | an owned event or block, until it is returned | 1, or 3 if invalid | the same |
//!
//! Six rules keep the sum small:
//!
//! 1. A buffer doubles as it grows, but not beyond *L*. A buffer of *n* bytes has at most min(2*n*, *L*). So with one
//!    that is growing, whose old and new memory both count, the lines of one block grow to 2.5: the worst is one
//!    value of a half, which grows from a half to 1, beside others of a half, which have 1. This includes `repaired`
//!    if it has an earlier ID, because the bytes of both IDs count towards the block's size.
//! 2. [`recycle`](BlockBuffers::recycle): when a block begins, all four together have at most 1, and 256 bytes, which
//!    are among the small constants.
//! 3. Repaired text is written to memory of the exact size, at most 3, and a smaller buffer is released first.
//! 4. [`LastEventId`](super::last_event_id::LastEventId) releases the old ID before it stores a new one. It has an ID
//!    of more than 1 KiB only once, except while that is copied for an owned event.
//! 5. If text of an owned event is invalid, the ID is shared first, and the type's buffer is released before the
//!    repaired type is copied. A comment that has been returned is released before the next block is read, except a
//!    block of one data line in the chunk (the row "after a comment"). What is kept of it is at most 1.
//! 6. Large owned data takes over the `data` buffer. If nothing else uses it when the next block begins, it becomes the
//!    `data` buffer again. Until then the event and the decoder share it, and it counts once, as `data`.
//!
//! So the sums are, with 1 for what rule 2 leaves from earlier blocks:
//!
//! | when | kept | lines of the block | repaired or owned | ID | comment | sum |
//! |---|--:|--:|--:|--:|--:|--:|
//! | valid text, borrowed: while a line grows | 1 | 2.5 | | 1 | | 4.5 |
//! | valid text, owned: the ID is copied last | 1 | 2 | 1 | 2 | | 6 |
//! | valid text, borrowed block: a comment grows | 1 | 2 | | 1 | 2 | 6 |
//! | valid text, owned block: the ID is copied last | 1 | 2 | 1 | 2 | 1 | 7 |
//! | borrowed: type and data are repaired | 1 | 2 | 3 | 3 | | 9 |
//! | owned: a repaired type is copied | 1 | 0 | 3 + 3 | 3 | | 10 |
//! | owned: data in the chunk is repaired, then an earlier ID is copied | 1 | 0 | 3 | 3 + 3 | | 10 |
//! | blocks: a comment is repaired | 1 | 2 | | 3 | 1 + 3 | 10 |
//! | blocks: data in the chunk is repaired after a comment | 1 | 0 | 3 | 3 | 1 + 3 | 11 |
//! | owned block: a repaired type is copied, with or without data | 1 | 0 | 3 + 3 | 3 | 1 | 11 |
//! | owned block: data in the chunk is repaired, then an earlier ID is copied | 1 | 0 | 3 | 3 + 3 | 1 | 11 |
//! | other methods after a comment that `decode_block` has returned | | | | | 1 + 3 | 10 + 4 |
//!
//! In the rows of a repaired type, its buffer has been released, and the whole block is the type. Each byte of other
//! lines takes fewer: 2 for its buffer and 3 for its repaired text. Then there are small constants, and 1 KiB each
//! for the last [type](super::recent_type) and for a second copy of the ID.

use super::{
    borrowed_fields::BorrowedFields,
    data_buffer::DataBuffer,
    open_line::StoredField,
    text_buffer::{LARGEST_KEPT, TextBuffer},
};
use crate::line::Scanned;
use core::mem;

/// By how many bytes the buffers may exceed the limit together before they are released. Data may have the whole limit,
/// and a type and an ID are usually short.
const SMALL_BESIDE: usize = 256;

#[derive(Clone, Debug, Default)]
pub(super) struct BlockBuffers {
    /// The standard's data buffer.
    pub(super) data: DataBuffer,
    /// The standard's event type buffer.
    pub(super) event_type: TextBuffer,
    /// Whether the block sets a type, which may be empty.
    sets_type: bool,
    /// The ID that the block sets, or the value of an open `id` line.
    id: TextBuffer,
    /// Whether the block sets an ID, which may be empty.
    sets_id: bool,
    /// The type and the data of a borrowed event, if one of them had to be repaired. While an `id` line is open,
    /// the ID of an earlier `id` line of the block.
    pub(super) repaired: TextBuffer,
}

impl BlockBuffers {
    /// The ID that the block sets, if any.
    pub(super) fn id(&self) -> Option<Scanned<'_>> {
        self.sets_id.then(|| self.id.value())
    }

    /// The type that the block sets, if any.
    pub(super) fn event_type(&self) -> Option<Scanned<'_>> {
        self.sets_type.then(|| self.event_type.value())
    }

    /// Whether any field is stored.
    pub(super) fn has_any(&self) -> bool {
        self.sets_type || self.sets_id || !self.data.is_empty()
    }

    /// Copies the values that were borrowed from a chunk that ends.
    pub(super) fn take_over(&mut self, borrowed: &mut BorrowedFields<'_>, limit: usize) {
        if let Some(data) = borrowed.data.take() {
            self.data.push_line(data, limit);
        }
        if let Some(event_type) = borrowed.event_type.take() {
            self.sets_type = true;
            self.event_type.clear();
            self.event_type.push(event_type, limit);
        }
        if let Some(id) = borrowed.id.take() {
            self.sets_id = true;
            self.id.clear();
            self.id.push(id, limit);
        }
    }

    /// Begins the value of an open line.
    #[inline]
    pub(super) fn begin(&mut self, field: StoredField, limit: usize) {
        match field {
            StoredField::Data => self.begin_data(limit),
            // The line replaces the type even if it is empty, and if it does not end, the block is dropped.
            StoredField::EventType => {
                self.sets_type = true;
                self.event_type.clear();
            }
            StoredField::Id => {
                if self.sets_id {
                    mem::swap(&mut self.id, &mut self.repaired);
                }
                self.id.clear();
            }
        }
    }

    /// Begins a data line that arrives in pieces.
    #[inline]
    pub(super) fn begin_data(&mut self, limit: usize) {
        if self.data.capacity() == 0 {
            self.data.reserve_expected(limit.saturating_sub(self.capacity()));
        }
    }

    /// Adds to the value of an open line.
    #[inline]
    pub(super) fn push(&mut self, field: StoredField, piece: Scanned<'_>, limit: usize) {
        match field {
            StoredField::Data => self.data.push(piece, limit),
            StoredField::EventType => self.event_type.push(piece, limit),
            StoredField::Id => self.id.push(piece, limit),
        }
    }

    /// Ends the value of an open line.
    #[inline]
    pub(super) fn end(&mut self, field: StoredField, limit: usize) {
        match field {
            StoredField::Data => self.data.end_line(limit),
            StoredField::EventType => {}
            StoredField::Id if !self.id.value().has_nul() => self.sets_id = true,
            // An ID with a NUL is ignored.
            StoredField::Id if self.sets_id => mem::swap(&mut self.id, &mut self.repaired),
            StoredField::Id => {}
        }
    }

    /// Empties the buffers, and releases them if together they are larger than the limit, and not only because of a
    /// short type or ID beside large data. Returns whether one of them is still large.
    #[inline]
    pub(super) fn recycle(&mut self, limit: usize) -> bool {
        let most = limit.saturating_add(SMALL_BESIDE);
        // Nothing is released then. `event_type` is empty unless `sets_type`; `id` and `repaired` are emptied when they
        // are used next.
        if cfg!(not(target_family = "wasm")) && self.capacity() <= LARGEST_KEPT.min(most) {
            self.sets_id = false;
            self.data.take_back();
            self.data.clear();
            if mem::take(&mut self.sets_type) {
                self.event_type.clear();
            }
            return false;
        }
        self.recycle_large(most)
    }

    #[cfg_attr(not(target_family = "wasm"), cold)]
    fn recycle_large(&mut self, most: usize) -> bool {
        self.sets_id = false;
        self.sets_type = false;
        let is_beyond = self.capacity() > most;
        let values = [&mut self.event_type, &mut self.id, &mut self.repaired];
        values.into_iter().fold(self.data.recycle(is_beyond), |any, buffer| buffer.recycle(is_beyond) | any)
    }

    fn capacity(&self) -> usize {
        self.data.capacity() + self.event_type.capacity() + self.id.capacity() + self.repaired.capacity()
    }
}
