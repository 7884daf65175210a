//! A comment that crosses a chunk boundary, for callers who read all blocks.

use super::{
    text_buffer::{LARGEST_KEPT, TextBuffer},
    utf8,
};
use crate::{event::Comment, line::Scanned};
use alloc::boxed::Box;

/// Boxed, and allocated for the first comment, so that it takes no room if the caller reads only events.
#[derive(Clone, Debug, Default)]
pub(super) struct CommentBuffer(Option<Box<Texts>>);

#[derive(Clone, Debug, Default)]
struct Texts {
    /// The line, with its colon.
    line: TextBuffer,
    /// The text of a comment that had to be repaired.
    repaired: TextBuffer,
}

impl CommentBuffer {
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.0.as_ref().is_none_or(|texts| texts.line.is_empty() && texts.repaired.is_empty())
    }

    /// The length of the line so far, in bytes.
    pub(super) fn len(&self) -> usize {
        self.0.as_ref().map_or(0, |texts| texts.line.value().bytes().len())
    }

    pub(super) fn push(&mut self, piece: Scanned<'_>, limit: usize) {
        self.0.get_or_insert_default().line.push(piece, limit);
    }

    /// The value of the comment in the chunk, or else of the buffered one.
    pub(super) fn value<'a>(&'a self, in_chunk: Option<Scanned<'a>>) -> Scanned<'a> {
        in_chunk.unwrap_or(self.0.as_ref().map_or(Scanned::from(""), |texts| texts.line.comment()))
    }

    /// A comment, owned: the one in the chunk, or else the buffered one. Its text is repaired where it is then stored.
    pub(super) fn comment(&self, in_chunk: Option<Scanned<'_>>) -> Comment {
        let value = self.value(in_chunk);
        match utf8::valid(value) {
            Some(text) => Comment::new(text),
            None => Comment::new(utf8::repaired(value.bytes())),
        }
    }

    /// The text of the comment in the chunk, or else of the buffered one.
    pub(super) fn text<'a>(&'a mut self, in_chunk: Option<Scanned<'a>>) -> &'a str {
        if let Some(text) = in_chunk.and_then(utf8::valid) {
            return text;
        }
        let Texts { line, repaired } = &mut **self.0.get_or_insert_default();
        let value = in_chunk.unwrap_or(line.comment());
        match utf8::valid(value) {
            Some(text) => text,
            None => repaired.repaired(value.bytes(), &[]).0,
        }
    }

    /// Empties the buffer, and releases its memory if it is large, or larger than the limit.
    pub(super) fn release(&mut self, limit: usize) {
        let Some(texts) = &mut self.0 else { return };
        texts.line.clear();
        texts.repaired.clear();
        if texts.line.capacity() + texts.repaired.capacity() > LARGEST_KEPT.min(limit) {
            self.0 = None;
        }
    }
}

impl TextBuffer {
    /// The text of the comment whose line is in this buffer.
    fn comment(&self) -> Scanned<'_> {
        self.value().field().map_or(Scanned::from(""), |(_, value)| value)
    }
}
