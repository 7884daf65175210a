//! Comments, for callers who read all blocks.

use super::Interpreter;
use crate::decoder::{
    DecodeError, InvalidText, borrowed::Borrowed, open_line::OpenLine, progress::Progress, scope::Scope, utf8,
};
use crate::event::{BlockItem, Comment};
use crate::line::{Field, Part, Scanned};

/// What a part of a line is to callers who read comments.
pub(super) enum CommentPart<'c> {
    /// Not part of a comment.
    Not,
    /// Part of a comment that continues beyond the chunk.
    Open,
    /// The end of a comment.
    Ended(Progress<'c>),
}

impl Interpreter {
    /// Reads a line, or a part of one, if it belongs to a comment.
    pub(super) fn comment_part<'c, S: Scope>(
        &mut self,
        part: Part,
        text: Scanned<'c>,
        borrowed: &mut Borrowed<'_>,
    ) -> CommentPart<'c> {
        let is_comment = text.bytes().first() == Some(&b':');
        if is_comment {
            // The values of a block around the comment have to outlive this call.
            self.buffer(borrowed);
        }
        match part {
            Part::Line if is_comment => CommentPart::Ended(match text.field() {
                Some((_, value)) if text.bytes().len() < self.size.limit() => Progress::Comment(value),
                _ => Progress::CommentTooLarge,
            }),
            Part::Head if is_comment => {
                self.comment.release(self.size.limit());
                self.open = OpenLine::BufferedComment;
                self.more_of_comment(part, text)
            }
            Part::Middle | Part::Tail if matches!(self.open, OpenLine::BufferedComment) => {
                self.more_of_comment(part, text)
            }
            Part::Middle | Part::Tail if S::HAS_BOUNDARIES && matches!(self.open, OpenLine::Comment) => {
                if part == Part::Middle {
                    return CommentPart::Open;
                }
                self.open = OpenLine::START;
                CommentPart::Ended(Progress::RefusedComment)
            }
            _ => CommentPart::Not,
        }
    }

    fn more_of_comment<'c>(&mut self, part: Part, text: Scanned<'_>) -> CommentPart<'c> {
        // The line end counts, as in every line.
        let line_end = usize::from(part == Part::Tail);
        if self.comment.len() + text.bytes().len() + line_end > self.size.limit() {
            self.comment.release(self.size.limit());
            self.open = if part == Part::Tail { OpenLine::START } else { OpenLine::Comment };
            return CommentPart::Ended(Progress::CommentTooLarge);
        }
        self.comment.push(text, self.size.limit());
        if part == Part::Tail {
            self.open = OpenLine::START;
            return CommentPart::Ended(Progress::BufferedComment);
        }
        CommentPart::Open
    }

    #[inline]
    pub(in crate::decoder) fn open_line(&self) -> &OpenLine {
        &self.open
    }

    /// Whether the stream ends in a comment that is buffered. The comment is then complete.
    pub(super) fn end_comment_at_eof(&mut self) -> bool {
        let is_comment = matches!(self.open, OpenLine::BufferedComment);
        if is_comment {
            self.open = OpenLine::START;
        }
        is_comment
    }

    /// Drops the comment that was returned last.
    #[inline]
    pub(in crate::decoder) fn forget_comment(&mut self) {
        if !self.comment.is_empty() && !matches!(self.open, OpenLine::BufferedComment) {
            self.comment.release(self.size.limit());
        }
    }

    /// The text of a comment in the chunk, or else of the buffered one.
    pub(in crate::decoder) fn borrow_comment<'a>(
        &'a mut self,
        in_chunk: Option<Scanned<'a>>,
    ) -> Result<&'a str, DecodeError> {
        let value = in_chunk.unwrap_or(self.comment.value());
        self.check_comment(value)?;
        Ok(self.comment.text(in_chunk))
    }

    /// The same as an owned block. The text is repaired where it is then stored.
    pub(in crate::decoder) fn own_comment(&self, in_chunk: Option<Scanned<'_>>) -> Result<BlockItem, DecodeError> {
        let value = in_chunk.unwrap_or(self.comment.value());
        self.check_comment(value)?;
        Ok(BlockItem::Comment(match utf8::valid(value) {
            Some(text) => Comment::new(text),
            None => Comment::new(utf8::repaired(value.bytes())),
        }))
    }

    fn check_comment(&self, value: Scanned<'_>) -> Result<(), DecodeError> {
        if self.is_strict() { InvalidText::check(Field::Comment, value) } else { Ok(()) }
    }
}
