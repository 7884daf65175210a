//! What goes on as the next chunk.

use alloc::vec::Vec;
use bytes::{Buf, Bytes};
use core::{mem, ops::Range};

/// Capacity up to here, in bytes, is kept for good.
const LARGEST_KEPT: usize = 64 * 1024;
/// Up to so many bytes are copied out of the buffer. A larger output takes the buffer with it.
const LARGEST_COPIED: usize = 16 * 1024;
/// The first byte of a byte order mark.
const FIRST_OF_BOM: u8 = 0xEF;

/// The output that has not been taken.
///
/// As long as it is one run of bytes of the chunk, nothing is copied.
#[derive(Clone, Debug)]
pub(super) struct Output {
    run: Range<usize>,
    /// The output, once it is more than a run.
    copied: Vec<u8>,
    start: Start,
}

/// What became of the stream's first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Start {
    /// There are none.
    Nothing,
    /// They were removed, and nothing has been passed on.
    Removed,
    PassedOn,
}

impl Output {
    pub(super) fn new() -> Output {
        Output { run: 0..0, copied: Vec::new(), start: Start::Nothing }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.run.is_empty() && self.copied.is_empty()
    }

    /// Passes on this part of the chunk.
    #[inline]
    pub(super) fn keep(&mut self, chunk: &[u8], place: Range<usize>) {
        let Some(bytes) = chunk.get(place.clone()) else { return };
        self.begin(bytes);
        if self.copied.is_empty() && self.run.is_empty() {
            self.run = place;
        } else if self.copied.is_empty() && self.run.end == place.start {
            self.run.end = place.end;
        } else {
            self.push(chunk, bytes);
        }
    }

    /// Passes on other bytes.
    pub(super) fn push(&mut self, chunk: &[u8], bytes: &[u8]) {
        self.begin(bytes);
        self.copied.extend_from_slice(chunk.get(mem::take(&mut self.run)).unwrap_or_default());
        self.copied.extend_from_slice(bytes);
    }

    /// Passes on what is in the buffer, which is empty afterwards.
    pub(super) fn push_buffer(&mut self, chunk: &[u8], buffer: &mut Vec<u8>) {
        self.begin(buffer);
        if self.is_empty() {
            mem::swap(&mut self.copied, buffer);
        } else {
            self.push(chunk, buffer);
        }
        clear(buffer);
    }

    /// Some bytes of the input are not passed on.
    pub(super) fn note_removed(&mut self) {
        if self.start == Start::Nothing {
            self.start = Start::Removed;
        }
    }

    /// If the first bytes were removed, those that are the first now must not be taken for a byte order mark. A blank
    /// line before them says nothing.
    #[inline]
    fn begin(&mut self, bytes: &[u8]) {
        if self.start != Start::PassedOn
            && let Some(first) = bytes.first()
        {
            if self.start == Start::Removed && *first == FIRST_OF_BOM {
                self.copied.push(b'\n');
            }
            self.start = Start::PassedOn;
        }
    }

    /// Takes the output, if there is any. Of a chunk that is used up nothing is left.
    pub(super) fn take(&mut self, chunk: &mut Bytes, is_used_up: bool) -> Option<Bytes> {
        let run = mem::take(&mut self.run);
        if !run.is_empty() {
            if !is_used_up {
                return Some(chunk.slice(run));
            }
            let mut output = mem::take(chunk);
            output.truncate(run.end);
            output.advance(run.start);
            return Some(output);
        }
        if self.copied.is_empty() {
            return None;
        }
        if self.copied.len() > LARGEST_COPIED {
            return Some(Bytes::from(mem::take(&mut self.copied)));
        }
        let output = Bytes::copy_from_slice(&self.copied);
        clear(&mut self.copied);
        Some(output)
    }
}

/// Adds to a buffer that will hold `limit` bytes at most.
pub(super) fn extend(buffer: &mut Vec<u8>, bytes: &[u8], limit: usize) {
    let needed = buffer.len().saturating_add(bytes.len());
    if needed > buffer.capacity() {
        // Doubled, but not beyond the limit.
        let room = needed.max(buffer.capacity().saturating_mul(2).min(limit));
        buffer.reserve_exact(room - buffer.len());
    }
    buffer.extend_from_slice(bytes);
}

/// Empties a buffer, and gives its memory back if that is large.
pub(super) fn clear(buffer: &mut Vec<u8>) {
    buffer.clear();
    if buffer.capacity() > LARGEST_KEPT {
        *buffer = Vec::new();
    }
}
