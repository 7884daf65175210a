//! A buffer for a value that arrives in pieces or has to be repaired.

use super::utf8;
use crate::line::Scanned;
use alloc::{string::String, vec::Vec};
use core::mem;

/// Capacity up to this many bytes is never released.
pub(super) const LARGEST_KEPT: usize = 64 * 1024;
/// A larger buffer is released after this many consecutive blocks that needed less than a quarter of it.
const CALM_BLOCKS: u8 = 32;

/// A buffer that is reused for block after block without allocating, and that releases its memory when it is too
/// large.
#[derive(Clone, Debug, Default)]
pub(super) struct TextBuffer {
    contents: Contents,
    calm_blocks: u8,
    /// The largest size that this block needed before the buffer was cleared.
    needed: usize,
}

/// As long as every piece is known to be text, the contents are a `String`, so they are not validated again.
#[derive(Clone, Debug)]
enum Contents {
    Text(String),
    Bytes(Vec<u8>),
}

impl TextBuffer {
    #[inline]
    pub(super) fn value(&self) -> Scanned<'_> {
        match &self.contents {
            Contents::Text(text) => Scanned::from(&**text),
            Contents::Bytes(bytes) => Scanned::from(&**bytes),
        }
    }

    /// The contents without the LF at their end.
    #[inline]
    pub(super) fn without_lf(&self) -> Scanned<'_> {
        match &self.contents {
            Contents::Text(text) => Scanned::from(text.strip_suffix('\n').unwrap_or_default()),
            Contents::Bytes(bytes) => Scanned::from(bytes.strip_suffix(b"\n").unwrap_or_default()),
        }
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    #[inline]
    fn len(&self) -> usize {
        match &self.contents {
            Contents::Text(text) => text.len(),
            Contents::Bytes(bytes) => bytes.len(),
        }
    }

    #[inline]
    pub(super) fn capacity(&self) -> usize {
        match &self.contents {
            Contents::Text(text) => text.capacity(),
            Contents::Bytes(bytes) => bytes.capacity(),
        }
    }

    /// Adds a piece.
    #[inline]
    pub(super) fn push(&mut self, piece: Scanned<'_>) {
        match &mut self.contents {
            Contents::Text(text) => match piece.text() {
                Some(piece) => text.push_str(piece),
                None => self.push_bytes(piece.bytes()),
            },
            Contents::Bytes(bytes) => bytes.extend_from_slice(piece.bytes()),
        }
    }

    /// Adds the first piece that is not known to be text.
    #[cold]
    fn push_bytes(&mut self, piece: &[u8]) {
        let mut bytes = mem::take(&mut self.contents).into_bytes();
        bytes.extend_from_slice(piece);
        self.contents = Contents::Bytes(bytes);
    }

    /// Replaces the contents by those of `other`.
    ///
    /// The contents are copied, because swapped buffers would both grow to the largest value. A large buffer is
    /// swapped anyway, so that a large value is not stored twice.
    pub(super) fn take_over(&mut self, other: &mut TextBuffer) {
        if other.capacity() > LARGEST_KEPT {
            mem::swap(self, other);
        } else {
            self.clear();
            self.push(other.value());
        }
    }

    #[inline]
    pub(super) fn push_lf(&mut self) {
        match &mut self.contents {
            Contents::Text(text) => text.push('\n'),
            Contents::Bytes(bytes) => bytes.push(b'\n'),
        }
    }

    /// The text of a value. Invalid text is repaired, and stored in this buffer.
    #[cold]
    pub(super) fn repaired<'a>(&'a mut self, value: Scanned<'a>) -> &'a str {
        if let Some(text) = utf8::valid(value) {
            return text;
        }
        self.clear();
        let mut text = String::from_utf8(mem::take(&mut self.contents).into_bytes()).unwrap_or_default();
        utf8::repair(value.bytes(), &mut text);
        self.contents = Contents::Text(text);
        self.value().text().unwrap_or_default()
    }

    /// Reserves exactly this many bytes.
    pub(super) fn reserve_exact(&mut self, len: usize) {
        match &mut self.contents {
            Contents::Text(text) => text.reserve_exact(len),
            Contents::Bytes(bytes) => bytes.reserve_exact(len),
        }
    }

    /// Takes the contents, with the capacity.
    pub(super) fn take(&mut self) -> Vec<u8> {
        self.calm_blocks = 0;
        self.needed = 0;
        mem::take(&mut self.contents).into_bytes()
    }

    /// Empties the buffer in the middle of a block. The old contents still count as needed by the block.
    #[inline]
    pub(super) fn clear(&mut self) {
        self.needed = self.needed.max(self.len());
        match &mut self.contents {
            Contents::Text(text) => text.clear(),
            Contents::Bytes(bytes) => {
                let mut bytes = mem::take(bytes);
                bytes.clear();
                // It is empty, and therefore text.
                self.contents = Contents::Text(String::from_utf8(bytes).unwrap_or_default());
            }
        }
    }

    /// Empties the buffer at the end of a block. Returns whether it is still large.
    #[inline]
    pub(super) fn recycle(&mut self) -> bool {
        if matches!(&self.contents, Contents::Text(text) if text.capacity() == 0) {
            return false;
        }
        self.clear();
        let needed = mem::take(&mut self.needed);
        self.capacity() > LARGEST_KEPT && self.age(needed)
    }

    /// Counts a block that needed this many bytes of a large buffer. Returns whether the buffer is still large.
    #[cold]
    fn age(&mut self, needed: usize) -> bool {
        self.calm_blocks = if needed < self.capacity() / 4 { self.calm_blocks + 1 } else { 0 };
        if self.calm_blocks == CALM_BLOCKS {
            *self = TextBuffer::default();
        }
        self.capacity() > LARGEST_KEPT
    }
}

impl Contents {
    fn into_bytes(self) -> Vec<u8> {
        match self {
            Contents::Text(text) => text.into_bytes(),
            Contents::Bytes(bytes) => bytes,
        }
    }
}

impl Default for Contents {
    fn default() -> Contents {
        Contents::Text(String::new())
    }
}

#[cfg(test)]
mod tests {
    use super::{CALM_BLOCKS, LARGEST_KEPT, TextBuffer};
    use crate::line::Scanned;
    use alloc::{string::String, vec::Vec};
    use proptest::prelude::*;

    fn block(buffer: &mut TextBuffer, bytes: usize) {
        buffer.push(Scanned::from(&alloc::vec![0; bytes][..]));
        buffer.recycle();
    }

    #[test]
    fn released_after_a_row_of_small_blocks() {
        let mut buffer = TextBuffer::default();
        block(&mut buffer, 8 * LARGEST_KEPT);
        for _ in 1..CALM_BLOCKS {
            block(&mut buffer, LARGEST_KEPT);
        }
        assert!(buffer.capacity() >= 8 * LARGEST_KEPT);
        block(&mut buffer, LARGEST_KEPT);
        assert_eq!(buffer.capacity(), 0);
    }

    #[test]
    fn kept_while_it_is_used() {
        let mut buffer = TextBuffer::default();
        block(&mut buffer, 8 * LARGEST_KEPT);
        for _ in 0..4 {
            for _ in 1..CALM_BLOCKS {
                block(&mut buffer, LARGEST_KEPT);
            }
            // Exactly a quarter of it.
            block(&mut buffer, 2 * LARGEST_KEPT);
        }
        assert!(buffer.capacity() >= 8 * LARGEST_KEPT);
    }

    #[test]
    fn a_small_buffer_is_never_released() {
        // A literal, and not the constant, so that a smaller constant fails the test.
        let mut buffer = TextBuffer::default();
        buffer.reserve_exact(65_536);
        for _ in 0..300 {
            block(&mut buffer, 1);
        }
        assert_eq!(buffer.capacity(), 65_536);
    }

    proptest! {
        // Miri has no file system for recorded failures.
        #![proptest_config(ProptestConfig {
            cases: if cfg!(miri) { 8 } else { 256 },
            failure_persistence: None,
            ..ProptestConfig::default()
        })]

        /// Known text and other pieces, in any order and over several blocks. The buffer contains what was pushed,
        /// and the contents are known to be text only if all pieces were.
        #[test]
        fn the_contents_are_the_pieces(blocks in prop::collection::vec(prop::collection::vec((any::<bool>(), ".{0,9}"), 0..6), 1..4)) {
            let mut buffer = TextBuffer::default();
            for pieces in blocks {
                let mut expected = String::new();
                for (is_known, piece) in &pieces {
                    buffer.push(if *is_known { Scanned::from(&**piece) } else { Scanned::from(piece.as_bytes()) });
                    expected.push_str(piece);
                }
                prop_assert_eq!(buffer.value().bytes(), expected.as_bytes());
                let all_known = pieces.iter().all(|(is_known, _)| *is_known);
                prop_assert_eq!(buffer.value().text(), all_known.then_some(&*expected));
                prop_assert_eq!(buffer.clone().take(), Vec::from(expected));
                buffer.recycle();
            }
        }
    }
}
