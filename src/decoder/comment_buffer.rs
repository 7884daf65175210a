//! A comment that straddles chunks, for those who read all blocks.

use super::{
    text_buffer::{LARGEST_KEPT, TextBuffer},
    utf8,
};
use crate::line::Scanned;
use core::mem;

#[derive(Clone, Debug, Default)]
pub(super) struct CommentBuffer {
    /// The line, colon and all.
    line: TextBuffer,
    /// The text of a comment that had to be repaired.
    repaired: TextBuffer,
}

impl CommentBuffer {
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.line.is_empty() && self.repaired.is_empty()
    }

    /// How many bytes the line has so far.
    pub(super) fn len(&self) -> usize {
        self.line.value().bytes().len()
    }

    pub(super) fn push(&mut self, piece: Scanned<'_>) {
        self.line.push(piece);
    }

    /// What the comment says.
    pub(super) fn value(&self) -> Scanned<'_> {
        self.line.value().field().map_or(Scanned::from(""), |(_, value)| value)
    }

    /// The text of a comment in the chunk, or of the one in here if there is none.
    pub(super) fn text<'a>(&'a mut self, in_chunk: Option<Scanned<'a>>) -> &'a str {
        let CommentBuffer { line, repaired } = self;
        let value = in_chunk.or_else(|| line.value().field().map(|(_, value)| value)).unwrap_or(Scanned::from(""));
        match utf8::valid(value) {
            Some(text) => text,
            None => repaired.repaired(value),
        }
    }

    /// Empties the buffer, and gives its memory back if it is large.
    pub(super) fn release(&mut self) {
        for buffer in [&mut self.line, &mut self.repaired] {
            buffer.clear();
            if buffer.capacity() > LARGEST_KEPT {
                drop(mem::take(buffer));
            }
        }
    }
}
