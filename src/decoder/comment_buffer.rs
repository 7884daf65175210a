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

    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn push(&mut self, piece: Scanned<'_>, limit: usize) {
        self.0.get_or_insert_with(texts).line.push(piece, limit);
    }

    /// Begins a comment with this part of its line, which has a colon.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn begin(&mut self, head: &str, limit: usize) {
        if !self.is_empty() {
            self.release(limit);
        }
        self.push(Scanned::from(head), limit);
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
        let Texts { line, repaired } = &mut **self.0.get_or_insert_with(texts);
        valid_or_repaired(in_chunk.unwrap_or(line.comment()), repaired)
    }

    /// The text of the buffered comment.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn buffered(&mut self) -> &str {
        let Texts { line, repaired } = &mut **self.0.get_or_insert_with(texts);
        line.comment_text().unwrap_or_else(|| valid_or_repaired(line.comment(), repaired))
    }

    /// Empties the buffer, and releases its memory if it is large, or larger than the limit.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn release(&mut self, limit: usize) {
        let Some(texts) = &mut self.0 else { return };
        texts.line.clear();
        if !texts.repaired.is_empty() {
            texts.repaired.clear();
        }
        if texts.line.capacity() + texts.repaired.capacity() > LARGEST_KEPT.min(limit) {
            self.0 = None;
        }
    }
}

#[cold]
fn texts() -> Box<Texts> {
    Box::default()
}

#[inline(never)]
fn valid_or_repaired<'t>(value: Scanned<'t>, repaired: &'t mut TextBuffer) -> &'t str {
    utf8::valid(value).unwrap_or_else(|| repaired.repaired(value.bytes(), &[]).0)
}

impl TextBuffer {
    /// The text of the comment whose line is in this buffer.
    fn comment(&self) -> Scanned<'_> {
        self.value().field().map_or(Scanned::from(""), |(_, value)| value)
    }

    /// The same if the line is known to be text.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn comment_text(&self) -> Option<&str> {
        let text = self.value().text()?.strip_prefix(':')?;
        Some(text.strip_prefix(' ').unwrap_or(text))
    }
}
