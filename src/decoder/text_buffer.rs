//! A buffer for a value that arrives in pieces or has to be repaired.

use super::utf8;
use crate::line::Scanned;
use alloc::{string::String, vec::Vec};
use core::mem;

/// Capacity up to this many bytes is never released.
pub(super) const LARGEST_KEPT: usize = 64 * 1024;
/// The capacity of a buffer that is used, unless the limit is smaller.
const SMALLEST: usize = 32;
/// A larger buffer is released after this many consecutive blocks that needed less than a quarter of it.
const CALM_BLOCKS: u8 = 32;

/// More ASCII is copied in parts of this size, in bytes, for the reason that stands in
/// [`encoding`](crate::encoding). Other text is validated too, which takes longer than the copy.
const LARGEST_PART: usize = if cfg!(target_family = "wasm") { usize::MAX } else { 2048 };

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
            Contents::Bytes(bytes) => match &**bytes {
                // The compiler keeps a panic in `strip_suffix`: 270 bytes on wasm.
                [line @ .., b'\n'] => Scanned::from(line),
                _ => Scanned::from(""),
            },
        }
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
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

    /// Adds a piece. The contents have at most `limit` bytes with it.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    #[cfg_attr(target_family = "wasm", inline(never))]
    pub(super) fn push(&mut self, piece: Scanned<'_>, limit: usize) {
        if let Contents::Text(text) = &mut self.contents
            && let Some(piece) = piece.text()
        {
            if fits(text, piece.len()) {
                text.push_str(piece);
            } else {
                push_in_parts(text, piece, 0, limit);
            }
            return;
        }
        // A piece that fits is added without a call: chunks of 64 bytes that are not ASCII take 7 % less time.
        if cfg!(not(target_family = "wasm"))
            && let Contents::Bytes(bytes) = &mut self.contents
            && bytes.capacity() - bytes.len() >= piece.bytes().len()
        {
            return bytes.extend_from_slice(piece.bytes());
        }
        self.push_bytes(piece.bytes(), false, limit);
    }

    /// Adds a piece and an LF. The contents have at most `limit` bytes with them.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    #[cfg_attr(target_family = "wasm", inline(never))]
    pub(super) fn push_line(&mut self, piece: Scanned<'_>, limit: usize) {
        if let Contents::Text(text) = &mut self.contents
            && let Some(piece) = piece.text()
        {
            if fits(text, piece.len() + 1) {
                text.push_str(piece);
            } else {
                push_in_parts(text, piece, 1, limit);
            }
            text.push('\n');
            return;
        }
        self.push_bytes(piece.bytes(), true, limit);
    }

    /// Adds a piece that is not known to be text, or to such contents. If it ends a line, an LF follows.
    #[inline(never)]
    fn push_bytes(&mut self, piece: &[u8], ends_line: bool, limit: usize) {
        let mut text = mem::take(&mut self.contents).into_bytes();
        let additional = piece.len() + usize::from(ends_line);
        if text.capacity() - text.len() < additional {
            text.reserve_exact(growth(text.len(), text.capacity(), additional, limit));
        }
        text.extend_from_slice(piece);
        if ends_line {
            text.extend_from_slice(b"\n");
        }
        self.contents = Contents::Bytes(text);
    }

    /// The repaired texts of two values, which replace the contents.
    #[cold]
    pub(super) fn repaired(&mut self, first: &[u8], second: &[u8]) -> (&str, &str) {
        self.clear();
        let Contents::Text(text) = &mut self.contents else { return Default::default() };
        let middle = utf8::repaired_len(first);
        let len = middle + utf8::repaired_len(second);
        if text.capacity() < len {
            // The old memory is released first.
            *text = String::new();
            text.reserve_exact(len);
        }
        utf8::repair(first, text);
        utf8::repair(second, text);
        text.split_at_checked(middle).unwrap_or_default()
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

    /// Puts back an empty buffer that was taken, unless this one is larger. The last block needed `needed` bytes.
    pub(super) fn put_back(&mut self, empty: Vec<u8>, needed: usize) {
        if empty.capacity() > self.capacity() {
            self.contents = Contents::Text(String::from_utf8(empty).unwrap_or_default());
        }
        self.needed = self.needed.max(needed);
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

    /// Empties the buffer at the end of a block, and releases it if the buffers are too large together. Returns whether
    /// it is still large.
    #[inline]
    pub(super) fn recycle(&mut self, is_beyond: bool) -> bool {
        if matches!(&self.contents, Contents::Text(text) if text.capacity() == 0) {
            return false;
        }
        self.clear();
        let needed = mem::take(&mut self.needed);
        (is_beyond || self.capacity() > LARGEST_KEPT) && self.age(needed, is_beyond)
    }

    /// Counts a block that needed this many bytes of a large buffer. Returns whether the buffer is still large.
    #[cold]
    fn age(&mut self, needed: usize, is_beyond: bool) -> bool {
        self.calm_blocks = if needed < self.capacity() / 4 { self.calm_blocks + 1 } else { 0 };
        if is_beyond || self.calm_blocks == CALM_BLOCKS {
            *self = TextBuffer::default();
        }
        self.capacity() > LARGEST_KEPT
    }
}

/// Whether there is room for so many bytes, and they are copied at once. Not on wasm, where a call is smaller.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
fn fits(text: &String, additional: usize) -> bool {
    cfg!(not(target_family = "wasm")) && additional <= (text.capacity() - text.len()).min(LARGEST_PART)
}

/// Appends a large piece, or one for which there is no room. `after` bytes will follow.
#[cold]
#[inline(never)]
fn push_in_parts(text: &mut String, mut piece: &str, after: usize, limit: usize) {
    let additional = piece.len() + after;
    if text.capacity() - text.len() < additional {
        text.reserve_exact(growth(text.len(), text.capacity(), additional, limit));
    }
    while let Some((part, rest)) = (LARGEST_PART..piece.len()).find_map(|end| piece.split_at_checked(end)) {
        text.push_str(part);
        piece = rest;
    }
    text.push_str(piece);
}

/// Doubles the capacity, but not beyond the limit, which no contents exceed.
fn growth(len: usize, capacity: usize, additional: usize, limit: usize) -> usize {
    let needed = len + additional;
    SMALLEST.max(2 * capacity).min(limit).max(needed) - len
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
        buffer.push(Scanned::from(&alloc::vec![0; bytes][..]), usize::MAX);
        buffer.recycle(false);
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
                    buffer.push(if *is_known { Scanned::from(&**piece) } else { Scanned::from(piece.as_bytes()) }, 100);
                    expected.push_str(piece);
                }
                prop_assert_eq!(buffer.value().bytes(), expected.as_bytes());
                let all_known = pieces.iter().all(|(is_known, _)| *is_known);
                prop_assert_eq!(buffer.value().text(), all_known.then_some(&*expected));
                prop_assert_eq!(buffer.clone().take(), Vec::from(expected));
                buffer.recycle(false);
            }
        }
    }
}
