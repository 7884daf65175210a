//! The places in a stream at which a [`Rewrite`](crate::Rewrite) can change it.

use super::{
    DecodeError, Decoder, Eof,
    borrowed::{Borrowed, Plain},
    open_line::OpenLine,
    progress::Progress,
    scope::Boundaries,
};
use crate::{
    event::{BlockItem, BlockRef},
    line::{Part, Walk},
};

/// What has just ended in a stream, together with what it contained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Boundary<'a> {
    /// The start of the stream, with its byte order mark if it has one.
    Start,
    /// The line of a comment. `None` if the comment was too large.
    Comment(Option<&'a str>),
    /// A blank line, and with it the open block, if there is one. `None` if the block is too large or has no effect.
    BlankLine(Option<BlockRef<'a>>),
    /// Nothing. The reconnection time of a block that is too large is returned after the error.
    Retry(BlockRef<'a>),
}

impl Decoder {
    /// Decodes up to the next boundary, and consumes `input` up to there.
    ///
    /// It does the same as [`decode_block`](Decoder::decode_block), but also returns at every other blank line. All
    /// lines of a block count towards the limit, except comments. The bytes that calls consume are:
    ///
    /// * the LF that belongs to the CR before it, if the last call ended between the two,
    /// * then the lines of the open block, including an LF after each CR,
    /// * then the boundary: one comment, or one blank line. If it ends with a CR, an LF stays in the input.
    ///
    /// If `input` is used up first, or the line begins at which the block is too large, these end the bytes instead.
    /// A comment that is too large is consumed as far as `input` contains it, and its rest, if any, is followed by a
    /// [`Boundary::Comment`].
    #[inline]
    pub(crate) fn decode_boundary<'d, 'c: 'd>(
        &'d mut self,
        input: &mut &'c [u8],
    ) -> Result<Option<Boundary<'d>>, DecodeError> {
        let mut walk = self.splitter.walk(input);
        if let Some((part, data)) = self.interpreter.lone_line(&mut walk) {
            *input = self.splitter.leave(&walk);
            if part == Part::Line {
                return Ok(Some(Boundary::BlankLine(Some(self.interpreter.borrow_value(data)))));
            }
            self.interpreter.forget_comment();
            self.interpreter.begin_lone_line(data);
            return Ok(None);
        }
        if let Some(text) = self.interpreter.line_between_blocks(&mut walk) {
            *input = self.splitter.leave(&walk);
            return Ok(Some(text.map_or(Boundary::BlankLine(None), |text| Boundary::Comment(Some(text)))));
        }
        if self.interpreter.take_continuation::<Boundaries>(&mut walk) {
            *input = self.splitter.leave(&walk);
            return Ok(None);
        }
        let copy = walk;
        self.decode_any_boundary(&copy, input)
    }

    /// The rest of [`decode_boundary`](Decoder::decode_boundary), for everything but a lone line.
    #[inline(never)]
    fn decode_any_boundary<'d, 'c: 'd>(
        &'d mut self,
        walk: &Walk<'c>,
        input: &mut &'c [u8],
    ) -> Result<Option<Boundary<'d>>, DecodeError> {
        let mut walk = *walk;
        if self.splitter.is_at_stream_start() {
            if self.splitter.pass_stream_start(input) {
                return Ok(Some(Boundary::Start));
            }
            walk = self.splitter.walk(input);
        }
        self.interpreter.forget_comment();
        let mut plain = Plain::default();
        if self.interpreter.plain_lines(&mut walk, &mut plain) {
            *input = self.splitter.leave(&walk);
            return Ok(Some(Boundary::BlankLine(Some(self.interpreter.borrow_plain_block(&plain)))));
        }
        if self.interpreter.more_lines(&mut walk, &mut plain) {
            *input = self.splitter.leave(&walk);
            return Ok(None);
        }
        let mut borrowed = Borrowed::from(plain);
        let progress = self.interpreter.read::<Boundaries>(&mut walk, &mut borrowed);
        *input = self.splitter.leave(&walk);
        match progress {
            Progress::NeedsMore => Ok(None),
            Progress::Event => Ok(Some(Boundary::BlankLine(Some(self.interpreter.borrow_block(&borrowed))))),
            Progress::BlankLine => Ok(Some(Boundary::BlankLine(None))),
            Progress::Comment(text) => Ok(Some(Boundary::Comment(Some(self.interpreter.borrow_comment(Some(text))?)))),
            Progress::BufferedComment => Ok(Some(Boundary::Comment(Some(self.interpreter.borrow_comment(None)?)))),
            Progress::RefusedComment => Ok(Some(Boundary::Comment(None))),
            Progress::RefusedRetry => Ok(self.interpreter.take_refused_retry().map(Boundary::Retry)),
            Progress::TooLarge => Err(self.interpreter.too_large()),
            Progress::CommentTooLarge => Err(DecodeError::CommentTooLarge { limit: self.max_event_size() }),
            Progress::Invalid(error) => Err(error),
        }
    }

    /// Whether the bytes so far end inside a comment that is not too large.
    #[inline]
    pub(crate) fn is_within_comment(&self) -> bool {
        self.splitter.is_within_line() && matches!(self.interpreter.open_line(), OpenLine::BufferedComment)
    }

    /// Whether the bytes so far end inside a comment that is too large.
    #[inline]
    pub(crate) fn is_within_refused_comment(&self) -> bool {
        self.splitter.is_within_line() && matches!(self.interpreter.open_line(), OpenLine::Comment)
    }

    /// Does the same as [`finish_block`](Decoder::finish_block) after [`decode_boundary`](Decoder::decode_boundary).
    pub(crate) fn finish_boundary(&mut self) -> Result<Option<BlockItem>, DecodeError> {
        if self.eof == Eof::Dispatch {
            // All of the open line has been counted, so the end of the line counts nothing.
            self.interpreter.clear_size();
        }
        self.finish_block()
    }
}
