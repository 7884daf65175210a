//! The standard's buffers, for what cannot be borrowed from one chunk: lines that straddle chunks, and data of several lines.

use super::{borrowed::Borrowed, buffer::Buffer};
use crate::line::Field;
use alloc::vec::Vec;

#[derive(Clone, Debug, Default)]
pub(super) struct BlockBuffers {
    /// The standard's data buffer: each line with an LF behind it, so that it is empty only without any line.
    data: Buffer<Vec<u8>>,
    /// The standard's event type buffer.
    event_type: Buffer<Vec<u8>>,
    /// The ID that the block sets, with an LF behind it, so that an empty one differs from none; then as much as is there
    /// of an `id` line that is still open.
    id: Buffer<Vec<u8>>,
    /// Where in `id` the open line begins.
    open_id: usize,
}

impl BlockBuffers {
    #[inline]
    pub(super) fn has_data(&self) -> bool {
        !self.data.is_empty()
    }

    /// The data, without the LF at its end.
    #[inline]
    pub(super) fn data(&self) -> &[u8] {
        self.data.strip_suffix(b"\n").unwrap_or(&[])
    }

    pub(super) fn event_type(&self) -> &[u8] {
        &self.event_type
    }

    /// The ID that the block sets, if it does.
    pub(super) fn id(&self) -> Option<&[u8]> {
        self.id.strip_suffix(b"\n")
    }

    /// The data, given away with its buffer.
    pub(super) fn take_data(&mut self) -> Vec<u8> {
        let mut data = self.data.take();
        data.pop();
        data
    }

    pub(super) fn push_data_line(&mut self, line: &[u8]) {
        push_line(&mut self.data, line);
    }

    /// Copies in what was borrowed from a chunk that ends.
    pub(super) fn take_over(&mut self, borrowed: Borrowed<'_>) {
        if let Some(data) = borrowed.data {
            push_line(&mut self.data, data);
        }
        if let Some(event_type) = borrowed.event_type {
            self.event_type.empty();
            self.event_type.extend_from_slice(event_type);
        }
        if let Some(id) = borrowed.id {
            self.id.empty();
            push_line(&mut self.id, id);
        }
    }

    /// Begins the value of an open line.
    #[inline]
    pub(super) fn begin(&mut self, field: Field) {
        match field {
            Field::Data => self.data.prepare(),
            Field::EventType => self.event_type.empty(),
            Field::Id => self.open_id = self.id.len(),
            Field::Retry | Field::Comment | Field::Other => {}
        }
    }

    /// Adds to the value of an open line.
    #[inline(always)]
    pub(super) fn append(&mut self, field: Field, bytes: &[u8]) {
        match field {
            Field::Data => self.data.extend_from_slice(bytes),
            Field::EventType => self.event_type.extend_from_slice(bytes),
            Field::Id => self.id.extend_from_slice(bytes),
            Field::Retry | Field::Comment | Field::Other => {}
        }
    }

    /// Ends the value of an open line.
    pub(super) fn end(&mut self, field: Field) {
        match field {
            Field::Data => self.data.push(b'\n'),
            Field::Id => self.end_id(),
            Field::EventType | Field::Retry | Field::Comment | Field::Other => {}
        }
    }

    /// The open `id` line, at the end of its buffer, replaces the ID before it unless there is a NUL in it.
    fn end_id(&mut self) {
        self.id.will_shrink();
        if memchr::memchr(0, &self.id[self.open_id..]).is_some() {
            self.id.truncate(self.open_id);
        } else {
            self.id.push(b'\n');
            self.id.drain(..self.open_id);
        }
    }

    /// Makes the buffers empty in the middle of a block.
    pub(super) fn empty(&mut self) {
        self.data.empty();
        self.event_type.empty();
        self.id.empty();
    }

    /// Makes the buffers empty, at the end of a block. Says whether one of them is large.
    pub(super) fn recycle(&mut self) -> bool {
        self.data.recycle() | self.event_type.recycle() | self.id.recycle()
    }
}

#[inline]
fn push_line(buffer: &mut Vec<u8>, line: &[u8]) {
    buffer.reserve(line.len() + 1);
    buffer.extend_from_slice(line);
    buffer.push(b'\n');
}
