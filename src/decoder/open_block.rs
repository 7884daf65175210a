//! The block that is being read, if any of it has to outlive its chunk.
//!
//! It has the standard's three buffers. A value that is contained in one chunk, in a block that is too, rarely gets
//! here: it stays a slice of the chunk.

use super::buffer::Buffer;
use crate::line::Scanned;
use core::time::Duration;

/// Memory up to this many bytes is never released, unless it is beyond the limit.
pub(super) const LARGEST_KEPT: usize = 64 * 1024;

/// More is released after this many consecutive blocks that needed less than a quarter of it.
const CALM_BLOCKS: u8 = 32;

/// By how many bytes the buffers may exceed the limit together before they are released. Data may have the whole limit,
/// and a type and an ID are usually short.
const SMALL_BESIDE: usize = 256;

#[derive(Clone, Debug, Default)]
pub(super) struct OpenBlock {
    pub(super) state: BlockState,
    /// How many blocks in a row have needed less than a quarter of the memory.
    calm_blocks: u8,
    /// The bytes of its data, event and id lines so far, each line end counted as one.
    pub(super) size: usize,
    pub(super) limit: usize,
    pub(super) data: Buffer,
    pub(super) event_type: Buffer,
    pub(super) id: Buffer,
    pub(super) retry: Option<Duration>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum BlockState {
    #[default]
    Open,
    /// It has exceeded the limit. Its lines are skipped up to the blank one.
    TooLarge,
    /// It has been returned, and may be borrowed from the buffers. They are emptied when the next block begins.
    Returned,
}

/// The values of a block, as its lines have them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Fields<'c> {
    pub(super) data: Option<&'c str>,
    pub(super) event_type: Option<&'c str>,
    pub(super) id: Option<&'c str>,
    pub(super) retry: Option<Duration>,
}

impl OpenBlock {
    /// Whether the block has nothing yet that the next line would have to be added to.
    pub(super) fn is_empty(&self) -> bool {
        self.size == 0 && self.state == BlockState::Open && self.retry.is_none()
    }

    /// Counts bytes of a line that counts. Returns whether the block is within the limit.
    #[inline]
    pub(super) fn count(&mut self, bytes: usize) -> bool {
        self.size = self.size.saturating_add(bytes);
        // A limit that has been lowered applies from the next byte on.
        self.size <= self.limit || bytes == 0
    }

    /// Stores the values of the lines that have been read from the chunk.
    #[inline]
    pub(super) fn store(&mut self, fields: &Fields<'_>, size: usize) {
        self.size = size;
        for (buffer, value) in
            [(&mut self.data, fields.data), (&mut self.event_type, fields.event_type), (&mut self.id, fields.id)]
        {
            if let Some(value) = value {
                buffer.push(Scanned::from(value), self.limit);
            }
        }
    }

    /// The values that are stored, as text. The ID is that of the stream by now.
    #[inline]
    pub(super) fn fields(&mut self) -> Fields<'_> {
        // Only whether there is one matters.
        let id = self.id.is_set().then_some("");
        Fields { data: self.data.text(), event_type: self.event_type.text(), id, retry: self.retry }
    }

    /// Begins the next block, with empty buffers.
    ///
    /// They are released if all of them are larger together than the limit, and not only because of a short type or ID
    /// beside large data. Otherwise they are released if they are large and several blocks have not needed it.
    #[inline]
    pub(super) fn begin(&mut self) {
        let capacity = self.capacity();
        if capacity > LARGEST_KEPT.min(self.limit.saturating_add(SMALL_BESIDE)) {
            self.age(capacity);
        }
        (self.size, self.state, self.retry) = (0, BlockState::Open, None);
        for buffer in [&mut self.data, &mut self.event_type, &mut self.id] {
            buffer.clear();
        }
    }

    /// Counts a block that has needed little of the large memory, and releases it if it has to be.
    #[cold]
    fn age(&mut self, capacity: usize) {
        self.calm_blocks = if self.size < capacity / 4 { self.calm_blocks + 1 } else { 0 };
        if capacity > self.limit.saturating_add(SMALL_BESIDE) || self.calm_blocks == CALM_BLOCKS {
            (self.data, self.event_type, self.id) = Default::default();
            self.calm_blocks = 0;
        }
    }

    pub(super) fn capacity(&self) -> usize {
        self.data.capacity() + self.event_type.capacity() + self.id.capacity()
    }
}
