//! A buffer for a value that cannot be borrowed from a single chunk.
//!
//! # How much memory a decoder uses
//!
//! This is the proof of the table at [`Decoder::with_max_event_size`](super::Decoder::with_max_event_size), which
//! `tests/it/memory/search.rs` attacks. All sizes are multiples of the limit. Five rules bound the sum:
//!
//! 1. What is stored of a block counts towards its size, and so do the bytes of an open `event` or `id` line. Together
//!    they are at most 1. A buffer doubles as it grows, but not beyond 1. So with one that is growing, whose old and
//!    new memory both count, the values of a block take at most 2.5: the worst is one value of a half, which grows from
//!    a half to 1, beside others of a half, which have 1. A line of a half that is carried has at most 1, and is
//!    dropped when it has been copied.
//! 2. When a block begins, the buffers of the one before have at most 1 together, and 256 bytes. Only then do they
//!    still count: 1.
//! 3. A repaired text takes three bytes for each invalid one. Its buffer grows to exactly its size, unless there is
//!    room for it: 3 for the values of a block together, and 3 for the last event ID, which may be of an earlier block.
//!    Of valid text, the ID takes 1.
//! 4. An owned ID is copied first, and is then in memory once: it replaces the decoder's own. When a repaired type or
//!    data is copied, what it was repaired from is gone.
//! 5. A comment is carried like a line, and counts by itself: 1, twice while it grows. If it is borrowed, it is
//!    repaired like a value, which takes 3 beside it. An owned one is repaired where it is owned.
//!
//! A comment is released before a block is returned, so the sums also hold if methods for events and for blocks take
//! turns. Beside them are 1 KiB of ignored text, 1 KiB of the line buffer, and the state of a check.
//!
//! | | what the values of this and the last block take | ID | repaired | owned | comment | sum |
//! |---|--:|--:|--:|--:|--:|--:|
//! | valid text, borrowed event | 3.5 | 1 | | | | 4.5 |
//! | valid text, owned event | 3 | 1 | | 2 | | 6 |
//! | valid text, borrowed block, while a comment grows | 3 | 1 | | | 2 | 6 |
//! | valid text, owned block | 3 | 1 | | 2 | | 6 |
//! | valid text, owned comment | 3 | 1 | | 1 | 1 | 6 |
//! | any, borrowed event | 3 | 3 | 3 | | | 9 |
//! | any, owned event: a repaired type is copied | 1 | 3 | 3 | 3 | | 10 |
//! | any, borrowed comment | 3 | 3 | 3 | | 1 | 10 |
//! | any, owned comment | 3 | 3 | | 3 | 1 | 10 |

use super::utf8;
use crate::{event::Data, line::Scanned};
use alloc::{string::String, vec::Vec};
use core::mem;

/// The capacity of a buffer that is used, unless the limit is smaller.
const SMALLEST: usize = 32;

/// A carried line of more bytes is dropped with its memory: few lines are so long that the next one needs it.
const LARGEST_LINE_KEPT: usize = 1024;

/// Larger data is handed over to an owned event with its memory.
pub(super) const LARGEST_COPIED: usize = 64 * 1024;

/// A longer piece is copied in parts of this size, in bytes, for the reason that stands in
/// [`encoding`](crate::encoding).
const LARGEST_PART: usize = 2048;

/// A buffer that is reused for block after block without allocating, and that releases its memory when it is too
/// large.
#[derive(Clone, Debug, Default)]
pub(super) struct Buffer {
    bytes: Vec<u8>,
    contents: Contents,
}

/// What the bytes are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Contents {
    /// No value. There are no bytes.
    #[default]
    Unset,
    /// A value that is UTF-8: each of its pieces is, or it was made so. It need not be validated again.
    Text,
    /// Any other value.
    Bytes,
}

impl Buffer {
    /// The value, if there is one. It may be empty.
    #[inline]
    pub(super) fn value(&self) -> Option<Scanned<'_>> {
        match self.contents {
            Contents::Unset => None,
            #[expect(unsafe_code, reason = "what is known about the bytes is not part of their type")]
            // SAFETY: `contents` is `Text` only if all bytes came from pieces that are text and the LFs
            // between them, or if `make_text` has found them to be UTF-8, or made them so by `utf8::repair`.
            Contents::Text => Some(Scanned::from(unsafe { str::from_utf8_unchecked(&self.bytes) })),
            Contents::Bytes => Some(Scanned::from(&*self.bytes)),
        }
    }

    pub(super) fn is_set(&self) -> bool {
        self.contents != Contents::Unset
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(super) fn capacity(&self) -> usize {
        self.bytes.capacity()
    }

    /// The length of the value, or zero.
    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Adds a piece to the value, or begins it. It has at most `limit` bytes with the piece.
    #[inline]
    pub(super) fn push(&mut self, piece: Scanned<'_>, limit: usize) {
        if self.contents != Contents::Bytes {
            self.contents = if piece.text().is_some() { Contents::Text } else { Contents::Bytes };
        }
        if piece.len() <= (self.bytes.capacity() - self.bytes.len()).min(LARGEST_PART) {
            self.bytes.extend_from_slice(piece.bytes());
        } else {
            self.grow(piece.bytes(), limit);
        }
    }

    /// Replaces the value.
    #[inline]
    pub(super) fn set(&mut self, value: Scanned<'_>, limit: usize) {
        self.clear();
        self.push(value, limit);
    }

    /// Adds a line to the value, after an LF unless it is the first.
    #[inline(always)]
    pub(super) fn push_line(&mut self, line: Scanned<'_>, limit: usize) {
        if self.is_set() {
            self.reserve(line.len() + 1, limit);
            self.bytes.push(b'\n');
        }
        self.push(line, limit);
    }

    /// Appends bytes that are many, or for which there is no room.
    #[inline(never)]
    fn grow(&mut self, bytes: &[u8], limit: usize) {
        self.reserve(bytes.len(), limit);
        for part in bytes.chunks(LARGEST_PART) {
            self.bytes.extend_from_slice(part);
        }
    }

    /// Makes room. The capacity is doubled, but not beyond the limit, which no value exceeds.
    #[inline(always)]
    fn reserve(&mut self, additional: usize, limit: usize) {
        let needed = self.bytes.len() + additional;
        if self.bytes.capacity() < needed {
            let capacity = SMALLEST.max(2 * self.bytes.capacity()).min(limit).max(needed);
            self.bytes.reserve_exact(capacity - self.bytes.len());
        }
    }

    /// The value as text. If it is not UTF-8, it is [repaired](utf8::repair) first.
    #[inline]
    pub(super) fn text(&mut self) -> Option<&str> {
        if self.contents == Contents::Bytes {
            self.make_text();
        }
        self.value()?.text()
    }

    #[inline(never)]
    fn make_text(&mut self) {
        if utf8::valid(Scanned::from(&*self.bytes)).is_none() {
            utf8::repair(&mut self.bytes);
            debug_assert!(str::from_utf8(&self.bytes).is_ok());
        }
        self.contents = Contents::Text;
    }

    /// Removes the value, and keeps the memory.
    #[inline]
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.contents = Contents::Unset;
    }

    /// Removes the value. Its memory is kept for the next one only if it is small.
    pub(super) fn release(&mut self) {
        self.clear();
        if self.bytes.capacity() > LARGEST_LINE_KEPT {
            self.bytes = Vec::new();
        }
    }

    /// Takes the value as text, as the data of an owned event. Large text is not copied: its memory goes with it.
    pub(super) fn take_data(&mut self) -> Option<Data> {
        let text = self.text()?;
        if text.len() <= LARGEST_COPIED {
            return Some(Data::from_text(text));
        }
        let mut bytes = mem::take(self).bytes;
        bytes.shrink_to_fit();
        #[expect(unsafe_code, reason = "what is known about the bytes is not part of their type")]
        // SAFETY: `text` has found the bytes to be text.
        Some(Data::from_text(unsafe { String::from_utf8_unchecked(bytes) }))
    }
}

#[cfg(test)]
mod tests {
    use super::Buffer;
    use crate::line::Scanned;
    use alloc::string::String;
    use proptest::prelude::*;

    proptest! {
        // Miri has no file system for recorded failures.
        #![proptest_config(ProptestConfig {
            cases: if cfg!(miri) { 8 } else { 256 },
            failure_persistence: None,
            ..ProptestConfig::default()
        })]

        /// Known text and other pieces, in any order and over several blocks. The value is what was pushed, and it is
        /// known to be text only if all pieces were.
        #[test]
        fn the_value_is_the_pieces(blocks in prop::collection::vec(prop::collection::vec((any::<bool>(), ".{0,9}"), 1..6), 1..4)) {
            let mut buffer = Buffer::default();
            for pieces in blocks {
                prop_assert!(buffer.value().is_none());
                let mut expected = String::new();
                for (is_known, piece) in &pieces {
                    buffer.push(if *is_known { Scanned::from(&**piece) } else { Scanned::from(piece.as_bytes()) }, 100);
                    expected.push_str(piece);
                }
                let value = buffer.value().unwrap();
                prop_assert_eq!(value.bytes(), expected.as_bytes());
                let all_known = pieces.iter().all(|(is_known, _)| *is_known);
                prop_assert_eq!(value.text(), all_known.then_some(&*expected));
                buffer.clear();
            }
        }
    }
}
