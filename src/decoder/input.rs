//! The bytes that owned events are decoded from.

use bytes::{Buf, Bytes};
use core::{mem, ops::Range};

/// A chunk, and what happens to its rest. Each call of the decoder ends with one of the methods that consume it.
pub(super) trait Input {
    fn chunk(&self) -> &[u8];

    /// Drops the first `taken` bytes.
    fn pass(self, taken: usize);

    /// Drops all bytes.
    fn use_up(self);

    /// Drops the first `taken` bytes, and returns those at `place`.
    fn take(self, taken: usize, place: Range<usize>) -> Bytes;
}

/// The rest stays in place.
impl Input for &mut Bytes {
    #[inline(always)]
    fn chunk(&self) -> &[u8] {
        self
    }

    #[inline(always)]
    fn pass(self, taken: usize) {
        match without_chunk(&self[taken..]) {
            // An empty `Bytes` could still keep the chunk in memory.
            Some(rest) => *self = rest,
            None => self.advance(taken),
        }
    }

    #[inline(always)]
    fn use_up(self) {
        *self = Bytes::new();
    }

    #[inline(always)]
    fn take(self, taken: usize, place: Range<usize>) -> Bytes {
        match without_chunk(&self[taken..]) {
            Some(rest) => narrowed(mem::replace(self, rest), place),
            None => {
                let slice = self.slice(place);
                self.advance(taken);
                slice
            }
        }
    }
}

/// A chunk that has just arrived from its source.
///
/// It is stored only if it has a rest. Most chunks are used up at once, and moving one takes as long as decoding
/// it (see benches/history.md).
pub(super) struct Fresh<'r> {
    pub(super) chunk: Bytes,
    /// Where a rest is stored.
    pub(super) rest: &'r mut Bytes,
}

impl Input for Fresh<'_> {
    #[inline(always)]
    fn chunk(&self) -> &[u8] {
        &self.chunk
    }

    #[inline(always)]
    fn pass(mut self, taken: usize) {
        let rest = &self.chunk[taken..];
        if !rest.is_empty() {
            *self.rest = without_chunk(rest).unwrap_or_else(|| {
                self.chunk.advance(taken);
                self.chunk
            });
        }
    }

    #[inline(always)]
    fn use_up(self) {}

    #[inline(always)]
    fn take(mut self, taken: usize, place: Range<usize>) -> Bytes {
        match without_chunk(&self.chunk[taken..]) {
            Some(rest) => {
                *self.rest = rest;
                narrowed(self.chunk, place)
            }
            None => {
                let slice = self.chunk.slice(place);
                self.chunk.advance(taken);
                *self.rest = self.chunk;
                slice
            }
        }
    }
}

/// The rest of a chunk, if it need not share the chunk's memory. The last event can then take over the chunk,
/// without a change of its reference count.
#[inline(always)]
fn without_chunk(rest: &[u8]) -> Option<Bytes> {
    match rest {
        [] => Some(Bytes::new()),
        // The rest after a CRLF.
        [b'\n'] => Some(Bytes::from_static(b"\n")),
        _ => None,
    }
}

#[inline(always)]
fn narrowed(mut chunk: Bytes, place: Range<usize>) -> Bytes {
    chunk.truncate(place.end);
    chunk.advance(place.start);
    chunk
}
