//! The next chunk of output.

use super::{Edit, rewriter::Rule};
use crate::{decoder::DecodeError, event::BlockItemRef};
use alloc::vec::Vec;
use bytes::{Buf, Bytes};
use core::{mem, ops::Range};

/// A buffer keeps a capacity up to this size, in bytes. A larger one is released.
const LARGEST_KEPT: usize = 64 * 1024;
/// Up to this size, in bytes, the buffer is copied into the output. A larger buffer becomes the output itself.
const LARGEST_COPIED: usize = 16 * 1024;
/// The first byte of a byte order mark.
const FIRST_OF_BOM: u8 = 0xEF;

/// The output that has not been returned yet, and the error after it.
///
/// As long as it is one contiguous run of the chunk's bytes, nothing is copied.
#[derive(Clone, Debug)]
pub(super) struct Output {
    /// The output, or what precedes the run if it is not a single run of the chunk's bytes.
    copied: Vec<u8>,
    /// The end of the output: bytes of the chunk, which are copied only once the run has ended.
    run: Range<usize>,
    /// How many bytes of `copied` did not come from the input.
    added: usize,
    /// What the function writes after a block, or instead of it, until the block itself is passed on or removed.
    written: Vec<u8>,
    start: Start,
    error: Option<DecodeError>,
}

/// What happened to the first bytes of the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Start {
    /// No byte has been removed or passed on yet.
    Nothing,
    /// The first bytes were removed, and nothing has been passed on yet.
    Removed,
    PassedOn,
}

impl Output {
    pub(super) fn new() -> Output {
        Output { copied: Vec::new(), run: 0..0, added: 0, written: Vec::new(), start: Start::Nothing, error: None }
    }

    /// Returns whether anything has been passed on.
    pub(super) fn has_begun(&self) -> bool {
        self.start == Start::PassedOn
    }

    /// Notes that something was written before the next output.
    pub(super) fn begin_elsewhere(&mut self) {
        self.start = Start::PassedOn;
    }

    /// Calls the function with an item. Returns whether it keeps the item.
    #[inline]
    pub(super) fn ask(&mut self, item: BlockItemRef<'_>, rule: &mut Rule<'_>) -> bool {
        let mut edit = Edit::new(&mut self.written);
        rule(item, &mut edit);
        !edit.is_removed()
    }

    /// Whether the function has written anything that is still to be passed on.
    #[inline]
    pub(super) fn has_written(&self) -> bool {
        !self.written.is_empty()
    }

    /// Passes on or removes what is in the buffer and then at `place` in the chunk, and passes on what the function
    /// wrote. `rest` is how many bytes of the input may follow.
    ///
    /// Returns whether an LF that belongs to a CR at the end is still to be passed on.
    #[inline]
    pub(super) fn end(
        &mut self,
        chunk: &[u8],
        buffer: &mut Vec<u8>,
        place: Range<usize>,
        rest: usize,
        is_kept: bool,
    ) -> bool {
        if is_kept && buffer.is_empty() && self.written.is_empty() {
            self.keep(chunk, place, rest);
            return true;
        }
        self.end_changed(chunk, buffer, place, rest, is_kept)
    }

    #[inline(never)]
    fn end_changed(
        &mut self,
        chunk: &[u8],
        buffer: &mut Vec<u8>,
        place: Range<usize>,
        rest: usize,
        is_kept: bool,
    ) -> bool {
        if !is_kept {
            clear(buffer);
            if self.start == Start::Nothing {
                self.start = Start::Removed;
            }
        } else {
            if !buffer.is_empty() {
                self.push_buffer(chunk, buffer, rest + place.len());
            }
            let lf = place.end..place.end.saturating_add(1);
            self.keep(chunk, place.clone(), rest);
            // What was written follows the LF, if that is in the chunk.
            if !self.written.is_empty()
                && place.end.checked_sub(1).and_then(|cr| chunk.get(cr..lf.end)) == Some(b"\r\n")
            {
                self.keep(chunk, lf, rest);
            }
        }
        !self.write(chunk, rest) && is_kept
    }

    /// Passes on what the function wrote. Returns whether it wrote anything.
    pub(super) fn write(&mut self, chunk: &[u8], rest: usize) -> bool {
        if self.written.is_empty() {
            return false;
        }
        let mut written = mem::take(&mut self.written);
        self.added += written.len();
        self.push_buffer(chunk, &mut written, rest);
        self.written = written;
        true
    }

    /// Passes on the part of the chunk at `place`. `rest` is how many bytes of the input may follow.
    #[inline]
    pub(super) fn keep(&mut self, chunk: &[u8], place: Range<usize>, rest: usize) {
        let Some(bytes) = chunk.get(place.clone()) else { return };
        self.begin(bytes);
        if self.run.end == place.start && !self.run.is_empty() {
            self.run.end = place.end;
        } else {
            if !self.run.is_empty() {
                self.push(chunk, &[], rest.saturating_add(bytes.len()));
            }
            self.run = place;
        }
    }

    /// Passes on a copy of these bytes. `rest` is how many bytes of the input may follow.
    pub(super) fn push(&mut self, chunk: &[u8], bytes: &[u8], rest: usize) {
        self.begin(bytes);
        let run = chunk.get(mem::take(&mut self.run)).unwrap_or_default();
        let needed = run.len() + bytes.len();
        if self.copied.capacity() - self.copied.len() < needed {
            // Enough for the rest of the input, so that a large chunk is not copied again and again, and for as much
            // again of what the input does not contain.
            self.copied.reserve_exact(needed.saturating_add(rest).saturating_add(self.added));
        }
        self.copied.extend_from_slice(run);
        self.copied.extend_from_slice(bytes);
    }

    /// Passes on the content of the buffer, and empties it. `rest` is how many bytes of the input may follow.
    fn push_buffer(&mut self, chunk: &[u8], buffer: &mut Vec<u8>, rest: usize) {
        self.begin(buffer);
        if self.run.is_empty() && self.copied.is_empty() {
            mem::swap(&mut self.copied, buffer);
        } else {
            self.push(chunk, buffer, rest);
        }
        clear(buffer);
    }

    /// Begins the output with these bytes, if it has not begun.
    ///
    /// If the first bytes of the input were removed, readers must not take these bytes for a byte order mark. So a
    /// blank line is written before them, which has no meaning.
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

    /// Whether there is neither output nor an error.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.copied.is_empty() && self.run.is_empty() && self.error.is_none()
    }

    /// Returns this error after the output.
    pub(super) fn fail(&mut self, error: DecodeError) {
        self.error = Some(error);
    }

    pub(super) fn has_failed(&self) -> bool {
        self.error.is_some()
    }

    /// Takes the output, or the error if there is no output. A chunk that is used up is left empty.
    pub(super) fn take(&mut self, chunk: &mut Bytes, is_used_up: bool) -> Option<Result<Bytes, DecodeError>> {
        self.take_bytes(chunk, is_used_up).map(Ok).or_else(|| self.error.take().map(Err))
    }

    fn take_bytes(&mut self, chunk: &mut Bytes, is_used_up: bool) -> Option<Bytes> {
        if self.copied.is_empty() {
            let run = mem::take(&mut self.run);
            if run.is_empty() {
                return None;
            }
            if !is_used_up {
                return Some(chunk.slice(run));
            }
            let mut output = mem::take(chunk);
            output.truncate(run.end);
            output.advance(run.start);
            return Some(output);
        }
        self.added = 0;
        if self.copied.len() > LARGEST_COPIED {
            self.push(chunk, &[], 0);
            return Some(Bytes::from(mem::take(&mut self.copied)));
        }
        let run = chunk.get(mem::take(&mut self.run)).unwrap_or_default();
        let mut output = Vec::with_capacity(self.copied.len() + run.len());
        output.extend_from_slice(&self.copied);
        output.extend_from_slice(run);
        clear(&mut self.copied);
        Some(Bytes::from(output))
    }
}

/// Adds bytes to a buffer that will contain at most `limit` bytes.
pub(super) fn extend(buffer: &mut Vec<u8>, bytes: &[u8], limit: usize) {
    let needed = buffer.len().saturating_add(bytes.len());
    if needed > buffer.capacity() {
        // The capacity doubles up to half of the limit, so that old and new memory are at most 1.5 times the limit.
        let half = limit / 2;
        let room = if needed > half { limit } else { buffer.capacity().saturating_mul(2).min(half) }.max(needed);
        buffer.reserve_exact(room - buffer.len());
    }
    buffer.extend_from_slice(bytes);
}

/// Empties a buffer, and releases its memory if that is large.
pub(super) fn clear(buffer: &mut Vec<u8>) {
    buffer.clear();
    if buffer.capacity() > LARGEST_KEPT {
        *buffer = Vec::new();
    }
}
