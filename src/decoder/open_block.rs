//! The block that is being read, if any of it has to outlive its chunk.
//!
//! It has the standard's three buffers. A value that is contained in one chunk, in a block that is too, never gets
//! here: it stays a slice of the chunk.

use super::buffer::Buffer;
use crate::line::{Field, Scanned};
use core::time::Duration;

#[derive(Clone, Debug)]
pub(super) struct OpenBlock {
    pub(super) state: BlockState,
    /// The bytes of its data, event and id lines so far, each line end counted as one.
    pub(super) size: usize,
    pub(super) limit: usize,
    pub(super) data: Buffer,
    pub(super) event_type: Buffer,
    pub(super) id: Buffer,
    pub(super) retry: Option<Duration>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BlockState {
    Open,
    /// It has exceeded the limit. Its lines are skipped up to the blank one.
    TooLarge,
    /// It has been returned, and may be borrowed from the buffers. They are emptied when the next block begins.
    Returned,
}

/// The values of a block, as the lines have them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Fields<'c> {
    pub(super) data: Option<Scanned<'c>>,
    pub(super) event_type: Option<Scanned<'c>>,
    pub(super) id: Option<Scanned<'c>>,
    pub(super) retry: Option<Duration>,
}

impl Fields<'_> {
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn has_any(&self) -> bool {
        self.data.is_some() || self.event_type.is_some() || self.id.is_some() || self.retry.is_some()
    }
}

/// The block is larger than the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooLarge;

impl OpenBlock {
    pub(super) fn new(limit: usize) -> OpenBlock {
        let (data, event_type, id) = Default::default();
        OpenBlock { state: BlockState::Open, size: 0, limit, data, event_type, id, retry: None }
    }

    /// Whether the block has nothing yet that the next line would have to be added to.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.size == 0 && self.state == BlockState::Open && self.retry.is_none()
    }

    /// Counts bytes of a line that counts.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn count(&mut self, bytes: usize) -> Result<(), TooLarge> {
        self.size = self.size.saturating_add(bytes);
        if self.size > self.limit { Err(TooLarge) } else { Ok(()) }
    }

    /// Stores the values of the lines that have been read from the chunk.
    pub(super) fn store(&mut self, fields: &Fields<'_>, size: usize) {
        self.size += size;
        self.retry = fields.retry;
        for (buffer, value) in
            [(&mut self.data, fields.data), (&mut self.event_type, fields.event_type), (&mut self.id, fields.id)]
        {
            if let Some(value) = value {
                buffer.push(value, self.limit);
            }
        }
    }

    /// Processes the field of a line that is not blank.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn set(&mut self, field: Field, value: Scanned<'_>) {
        match field {
            Field::Data => self.data.push_line(value, self.limit),
            Field::EventType => {
                self.event_type.clear();
                self.event_type.push(value, self.limit);
            }
            Field::Id if value.has_nul() => {}
            Field::Id => {
                self.id.clear();
                self.id.push(value, self.limit);
            }
            Field::Retry | Field::Comment | Field::Other => {}
        }
    }

    /// The values that are stored.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn fields(&self) -> Fields<'_> {
        Fields { data: self.data.value(), event_type: self.event_type.value(), id: self.id.value(), retry: self.retry }
    }

    /// Begins the next block, with empty buffers.
    pub(super) fn begin(&mut self) {
        (self.size, self.state, self.retry) = (0, BlockState::Open, None);
    }

    /// The buffers of the standard.
    pub(super) fn buffers(&mut self) -> [&mut Buffer; 3] {
        [&mut self.data, &mut self.event_type, &mut self.id]
    }
}
