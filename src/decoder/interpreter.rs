//! Interprets lines as blocks and events: [interpreting an event stream].
//!
//! The lines of a block are read by the [`OpenBlock`]. At the blank line its ID becomes the last event ID, and it is
//! returned as an event if it has data, or as a block if it has any field.
//!
//! [interpreting an event stream]: https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation

use super::{
    DecodeError, Eof, InvalidText, InvalidUtf8, Position,
    borrowed::{Borrowed, Plain},
    comment_buffer::CommentBuffer,
    last_event_id::LastEventId,
    line_check::LineCheck,
    open_block::{Next, OpenBlock},
    progress::Progress,
    recent_type::RecentType,
    scope::{AllBlocks, EventsOnly, Scope},
    size::TooLarge,
    utf8,
};
use crate::{
    event::{Block, BlockItem, BlockRef, Comment, Data, Event, EventRef, Label},
    line::{Field, LineSplitter, Part, Scanned, Walk},
};
use alloc::boxed::Box;
use core::{mem, time::Duration};

/// Off on wasm, where the fast paths would add 5 KB, and code size matters more than a few nanoseconds per event. Also
/// off for the tests of the general path alone (`.ci/long streams`).
const IS_FAST: bool = !cfg!(any(target_family = "wasm", eventwire_general_path));

#[derive(Clone, Debug)]
pub(super) struct Interpreter {
    block: OpenBlock,
    /// The reconnection time that earlier blocks have set.
    reconnection_time: Option<Duration>,
    /// `None` until the stream sets one. An empty ID is one as well: the stream has then cleared it. It is copied,
    /// unlike a type, because later events without an ID inherit it.
    ///
    /// An ID that the caller sets stays until the stream sets another. Read literally, section 9.2.6 of the standard
    /// begins each stream with an empty ID buffer and copies it at the first blank line. Every reconnection would then
    /// lose the ID that the client sent, and no browser does that.
    last_event_id: Option<LastEventId>,
    recent_type: RecentType,
    utf8: Utf8Rule,
    returns_comments: bool,
    comment: CommentBuffer,
}

/// [`InvalidUtf8`].
#[derive(Clone, Debug)]
enum Utf8Rule {
    Replace,
    Reject,
    /// The check is a pointer, so that a program without [`InvalidUtf8::Stop`] does not contain it: 1 KB on wasm.
    Stop(CheckPart, Box<LineCheck>),
}

/// Checks a part of a line after it has been read, with this outcome.
type CheckPart = fn(&mut Interpreter, Part, Scanned<'_>, &Outcome<'_>) -> Result<AfterCheck, DecodeError>;

/// The outcome of reading a part of a line. `Ok(None)` continues with the next part.
type Outcome<'c> = Result<Option<Progress<'c>>, TooLarge>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AfterCheck {
    GoOn,
    /// The line end is read again, as all that is left of the line.
    LineEndAgain,
}

/// What happens to the open comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OpenComment {
    Buffered,
    Skipped,
}

/// What a part of a line is to callers who read comments.
enum CommentPart<'c> {
    /// Not part of a comment.
    Not,
    /// Part of a comment that continues beyond the chunk.
    Open,
    /// The end of a comment.
    Ended(Progress<'c>),
}

impl Interpreter {
    pub(super) fn new(limit: usize) -> Interpreter {
        Interpreter {
            block: OpenBlock::new(limit),
            reconnection_time: None,
            last_event_id: None,
            recent_type: RecentType::default(),
            utf8: Utf8Rule::Replace,
            returns_comments: true,
            comment: CommentBuffer::default(),
        }
    }

    pub(super) fn limit(&self) -> usize {
        self.block.limit()
    }

    pub(super) fn set_limit(&mut self, limit: usize) {
        let is_lower = limit < self.limit();
        self.block.set_limit(limit);
        if is_lower {
            if !self.block.is_buffered_comment() {
                self.comment.release(limit);
            }
            self.begin_if_unused();
        }
    }

    pub(super) fn set_invalid_utf8(&mut self, invalid_utf8: InvalidUtf8, splitter: &LineSplitter) {
        self.utf8 = match invalid_utf8 {
            // The line that is open goes on being checked.
            InvalidUtf8::Stop if matches!(self.utf8, Utf8Rule::Stop(..)) => return,
            InvalidUtf8::Replace => Utf8Rule::Replace,
            InvalidUtf8::Reject => Utf8Rule::Reject,
            InvalidUtf8::Stop => {
                let line = if splitter.is_within_line() { LineCheck::after_open_line() } else { LineCheck::new() };
                Utf8Rule::Stop(Interpreter::check_part, Box::new(line))
            }
        };
        self.begin_if_unused();
    }

    pub(super) fn skip_comments(&mut self) {
        self.returns_comments = false;
        if self.block.is_buffered_comment() {
            self.block.skip_comment();
            self.comment.release(self.limit());
        }
    }

    /// Begins the next block under a changed setting, unless a block is open.
    fn begin_if_unused(&mut self) {
        if self.block.is_unused() {
            self.begin_block();
        }
    }

    /// Whether invalid UTF-8 is an error. Something of each block is then stored, so that the fast paths leave it to
    /// the general one, and no other code needs to check the setting.
    fn is_strict(&self) -> bool {
        !matches!(self.utf8, Utf8Rule::Replace)
    }

    #[inline]
    pub(super) fn last_event_id(&self) -> &str {
        self.last_event_id.as_ref().map_or("", LastEventId::as_str)
    }

    /// Sets the ID, or removes it.
    pub(super) fn replace_last_event_id(&mut self, id: Option<&str>) {
        match id {
            Some(id) => self.last_event_id.get_or_insert_default().set(id),
            None => self.last_event_id = None,
        }
    }

    /// The last valid `retry`, which takes effect before its block is complete.
    pub(super) fn reconnection_time(&self) -> Option<Duration> {
        self.block.retry().or(self.reconnection_time)
    }

    fn keep_retry(&mut self, retry: Option<Duration>) {
        self.reconnection_time = retry.or(self.reconnection_time);
    }

    #[inline(always)]
    pub(super) fn has_ended(&self) -> bool {
        self.block.has_ended()
    }

    pub(super) fn position(&self, splitter: &LineSplitter) -> Position {
        if self.block.has_ended() {
            Position::Ended
        } else if self.block.is_refused() || self.is_cut_off(splitter) {
            Position::WithinBlock
        } else if splitter.is_within_line() {
            Position::WithinComment
        } else {
            Position::BetweenBlocks
        }
    }

    /// Whether the stream ends inside something other than a comment.
    fn is_cut_off(&self, splitter: &LineSplitter) -> bool {
        !self.block.is_refused()
            && !self.block.has_ended()
            && (!self.block.is_between() || splitter.is_within_line() && !self.block.is_comment())
    }

    /// Whether nothing is left to do for what has been read: no block is refused, and no comment is buffered.
    #[inline(always)]
    pub(super) fn is_drained(&self) -> bool {
        !self.block.is_refused() && self.comment.is_empty()
    }

    /// See [`OpenBlock::lone_line`].
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn lone_line<'c>(&mut self, walk: &mut Walk<'c>) -> Option<(Part, Scanned<'c>)> {
        if !IS_FAST {
            return None;
        }
        if self.block.next() == Next::Begin {
            self.begin_block();
        }
        self.block.lone_line(walk)
    }

    /// See [`OpenBlock::begin_lone_line`].
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn begin_lone_line(&mut self, head: Scanned<'_>) {
        self.block.begin_lone_line(head);
    }

    /// Reads the beginning of most other chunks: the rest of an open line, then comments if the caller ignores them.
    /// Returns whether the chunk is used up.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn take_continuation<S: Scope>(&mut self, walk: &mut Walk<'_>) -> bool {
        IS_FAST
            && (walk.is_within_line() && !matches!(self.utf8, Utf8Rule::Stop(..)) && self.block.rest_of_line::<S>(walk)
                || !S::HAS_ALL && self.block.pass_comments(walk))
    }

    /// Reads the blank line of a stored block. Returns whether it completes what the caller reads.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn take_blank_line<S: Scope>(&mut self, walk: &mut Walk<'_>) -> bool {
        IS_FAST
            && !self.is_strict()
            && (!S::HAS_ALL || self.comment.is_empty())
            && self.block.blank_line(walk)
            && self.dispatch_stored::<S>(None, false)
    }

    /// See [`OpenBlock::lone_comment`].
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn lone_comment<'c>(&mut self, walk: &mut Walk<'c>) -> Option<&'c str> {
        if IS_FAST && walk.is_at_comment() && self.returns_comments { self.block.lone_comment(walk) } else { None }
    }

    /// See [`OpenBlock::line_between`].
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn line_between<'c>(&mut self, walk: &mut Walk<'c>) -> Option<Option<&'c str>> {
        if IS_FAST && walk.is_at_comment() { self.block.line_between(walk) } else { None }
    }

    /// See [`OpenBlock::plain_lines`].
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn plain_lines<'c>(&mut self, walk: &mut Walk<'c>, plain: &mut Plain<'c>) -> bool {
        let is_event = IS_FAST && self.block.plain_lines(walk, plain);
        if is_event && let Some(id) = plain.id {
            self.last_event_id.get_or_insert_default().set(id);
        }
        is_event
    }

    /// See [`OpenBlock::more_lines`].
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn more_lines(&mut self, walk: &mut Walk<'_>, plain: &mut Plain<'_>) -> bool {
        IS_FAST && !self.is_strict() && self.block.more_lines(walk, plain)
    }

    /// Reads lines up to the blank one that completes an event or a block, or to the end of the chunk.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn read<'c, S: Scope>(&mut self, walk: &mut Walk<'c>, borrowed: &mut Borrowed<'c>) -> Progress<'c> {
        match self.block.next() {
            Next::Read => {}
            Next::Begin => self.begin_block(),
            Next::Skip => {
                if S::HAS_ALL
                    && let Some(time) = self.take_refused_retry()
                {
                    return Progress::Retry(time);
                }
            }
            Next::End => {
                walk.pass_all();
                return Progress::NeedsMore;
            }
        }
        self.interpret::<S>(walk, borrowed)
    }

    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn interpret<'c, S: Scope>(&mut self, walk: &mut Walk<'c>, borrowed: &mut Borrowed<'c>) -> Progress<'c> {
        while let Some((part, text)) = walk.part() {
            let outcome = self.interpret_part::<S>(part, text, borrowed);
            if let Utf8Rule::Stop(check, _) = self.utf8 {
                match check(self, part, text, &outcome) {
                    Ok(AfterCheck::GoOn) => {}
                    Ok(AfterCheck::LineEndAgain) => {
                        let mut copy = *walk;
                        copy.return_line_end();
                        *walk = copy;
                    }
                    Err(error) => return Progress::Error(error),
                }
            }
            match outcome {
                Ok(None) => {}
                Ok(Some(progress)) => return progress,
                Err(TooLarge) => {
                    self.refuse_block::<S>();
                    return Progress::Error(DecodeError::EventTooLarge { limit: self.limit() });
                }
            }
        }
        self.block.store(borrowed);
        Progress::NeedsMore
    }

    /// Reads a line, or a part of one.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn interpret_part<'c, S: Scope>(
        &mut self,
        part: Part,
        text: Scanned<'c>,
        borrowed: &mut Borrowed<'c>,
    ) -> Outcome<'c> {
        if self.block.is_refused() {
            return Ok(self.pass_over::<S>(part, text));
        }
        if part != Part::Line {
            match if S::HAS_ALL { self.comment_part::<S>(part, text, borrowed) } else { CommentPart::Not } {
                CommentPart::Not => self.part::<S>(part, text, borrowed)?,
                CommentPart::Open => {}
                CommentPart::Ended(comment) => return Ok(Some(comment)),
            }
            return Ok(None);
        }
        match text.bytes() {
            [] => {
                if let Err(error) = self.check_block(borrowed) {
                    return Ok(Some(Progress::Error(error)));
                }
                if self.dispatch::<S>(borrowed) {
                    return Ok(Some(Progress::Block));
                }
                if S::HAS_BOUNDARIES {
                    return Ok(Some(Progress::BlankLine));
                }
            }
            // Comments first, because some streams consist of little else.
            [b':', ..] => {
                if S::HAS_ALL
                    && let CommentPart::Ended(comment) = self.comment_part::<S>(Part::Line, text, borrowed)
                {
                    return Ok(Some(comment));
                }
            }
            _ => self.block.line::<S>(text, borrowed)?,
        }
        Ok(None)
    }

    /// Skips a line of a block that is too large, or a part of one. Its blank line ends it, and comments are returned.
    #[cold]
    fn pass_over<'c, S: Scope>(&mut self, part: Part, text: Scanned<'c>) -> Option<Progress<'c>> {
        if S::HAS_ALL
            && let CommentPart::Ended(comment) = self.comment_part::<S>(part, text, &mut Borrowed::default())
        {
            return Some(comment);
        }
        if part == Part::Line && text.bytes().is_empty() {
            self.begin_block();
            return S::HAS_BOUNDARIES.then_some(Progress::BlankLine);
        }
        None
    }

    /// Reads a part of a line that crosses a chunk boundary.
    #[inline]
    fn part<S: Scope>(&mut self, part: Part, text: Scanned<'_>, borrowed: &mut Borrowed<'_>) -> Result<(), TooLarge> {
        if part != Part::Head && self.block.is_buffered_comment() {
            // A call that reads comments began it, and a call that does not continues it.
            self.block.skip_comment();
            self.comment.release(self.limit());
        }
        if S::HAS_BOUNDARIES {
            self.block.counted_part(part, text, borrowed)
        } else {
            self.block.part(part, text, borrowed)
        }
    }

    /// Checks a part of a line for [`InvalidUtf8::Stop`], after it has been read, and ends the stream at a line that is
    /// not UTF-8.
    ///
    /// If the same line has made a block too large, that error comes first, and this one follows when the line end is
    /// read again. So the errors do not depend on how the line is split.
    #[cold]
    fn check_part(&mut self, part: Part, text: Scanned<'_>, outcome: &Outcome<'_>) -> Result<AfterCheck, DecodeError> {
        let Utf8Rule::Stop(_, line) = &mut self.utf8 else { return Ok(AfterCheck::GoOn) };
        line.push(text);
        match part {
            Part::Head | Part::Middle => Ok(AfterCheck::GoOn),
            Part::Line | Part::Tail if matches!(outcome, Err(TooLarge) | Ok(Some(Progress::Error(_)))) => {
                // The rest of a comment has to be skipped. For a block, it makes no difference.
                self.block.skip_comment();
                Ok(AfterCheck::LineEndAgain)
            }
            Part::Line | Part::Tail => match line.end() {
                None => Ok(AfterCheck::GoOn),
                Some(text) => {
                    self.discard();
                    self.block.end();
                    Err(DecodeError::InvalidUtf8(text))
                }
            },
        }
    }

    /// Rejects a block with a value that is not UTF-8, if the setting requires it.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn check_block(&mut self, borrowed: &mut Borrowed<'_>) -> Result<(), DecodeError> {
        if matches!(self.utf8, Utf8Rule::Reject) { self.check_values(borrowed) } else { Ok(()) }
    }

    #[cold]
    fn check_values(&mut self, borrowed: &mut Borrowed<'_>) -> Result<(), DecodeError> {
        self.block.check_utf8(borrowed).inspect_err(|_| {
            *borrowed = Borrowed::default();
            self.block.take_retry();
            self.begin_block();
        })
    }

    /// Ends the block at its blank line: its ID takes effect. Returns whether it has what the caller reads: data, or
    /// any field.
    ///
    /// Its text stays in place until [`begin_block`](Interpreter::begin_block).
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn dispatch<S: Scope>(&mut self, borrowed: &mut Borrowed<'_>) -> bool {
        let id = borrowed.id;
        let valid_id = id.and_then(utf8::valid);
        let has_borrowed = borrowed.data.is_some() || S::HAS_ALL && (borrowed.event_type.is_some() || id.is_some());
        let is_returned = if !self.block.is_empty() || id.is_some() != valid_id.is_some() {
            self.dispatch_stored::<S>(id, has_borrowed)
        } else {
            self.block.clear_size();
            if let Some(id) = valid_id {
                self.last_event_id.get_or_insert_default().set(id);
            }
            has_borrowed
        };
        if !is_returned {
            *borrowed = Borrowed::default();
        }
        is_returned
    }

    /// The same if something is stored or a borrowed ID is not UTF-8, and at the end of the stream.
    #[inline(never)]
    fn dispatch_stored<S: Scope>(&mut self, id: Option<Scanned<'_>>, has_borrowed: bool) -> bool {
        if let Some(id) = id.or_else(|| self.block.stored_id()) {
            self.last_event_id.get_or_insert_default().set_value(id);
        }
        let is_returned =
            has_borrowed || if S::HAS_ALL { self.block.has_stored() } else { self.block.has_stored_data() };
        if is_returned {
            self.block.dispatch();
        } else {
            self.begin_block();
        }
        is_returned
    }

    /// Empties the buffers for the next block.
    fn begin_block(&mut self) {
        let retry = self.block.begin(self.is_strict());
        self.keep_retry(retry);
    }

    /// Discards a block that is too large, including the part that has not arrived yet.
    fn refuse_block<S: Scope>(&mut self) {
        self.block.refuse();
        self.comment.release(self.limit());
        if !S::HAS_ALL {
            let retry = self.block.take_retry();
            self.keep_retry(retry);
        }
    }

    /// The reconnection time of a block that is too large. It has taken effect, so it is returned after the error.
    fn take_refused_retry(&mut self) -> Option<Duration> {
        if !self.block.is_refused() {
            return None;
        }
        let retry = self.block.take_retry()?;
        self.keep_retry(Some(retry));
        Some(retry)
    }

    /// Discards what is unfinished, except a reconnection time, which has taken effect.
    pub(super) fn discard(&mut self) {
        if let Utf8Rule::Stop(_, line) = &mut self.utf8 {
            **line = LineCheck::new();
        }
        self.block.end_comment();
        self.comment.release(self.limit());
        self.begin_block();
    }

    /// Reads a line, or a part of one, if it belongs to a comment.
    fn comment_part<'c, S: Scope>(
        &mut self,
        part: Part,
        text: Scanned<'c>,
        borrowed: &mut Borrowed<'_>,
    ) -> CommentPart<'c> {
        if !self.returns_comments && !S::HAS_BOUNDARIES {
            return CommentPart::Not;
        }
        let is_comment = text.bytes().first() == Some(&b':');
        if is_comment {
            // The values of a block around the comment have to outlive this call.
            self.block.store(borrowed);
        }
        match part {
            Part::Line if is_comment => CommentPart::Ended(match text.field() {
                Some((_, value)) if text.bytes().len() < self.limit() => Progress::Comment(Some(value)),
                _ => self.comment_too_large(),
            }),
            Part::Head if is_comment => {
                self.comment.release(self.limit());
                self.block.begin_comment();
                self.more_of_comment(part, text)
            }
            Part::Middle | Part::Tail if self.block.is_buffered_comment() => self.more_of_comment(part, text),
            Part::Middle if S::HAS_BOUNDARIES && self.block.is_skipped_comment() => CommentPart::Open,
            Part::Tail if S::HAS_BOUNDARIES && self.block.is_skipped_comment() => {
                self.block.end_comment();
                CommentPart::Ended(Progress::RefusedComment)
            }
            _ => CommentPart::Not,
        }
    }

    fn more_of_comment<'c>(&mut self, part: Part, text: Scanned<'_>) -> CommentPart<'c> {
        // The line end counts, as in every line.
        let line_end = usize::from(part == Part::Tail);
        if self.comment.len() + text.bytes().len() + line_end > self.limit() {
            self.comment.release(self.limit());
            if part == Part::Tail {
                self.block.end_comment();
            } else {
                self.block.skip_comment();
            }
            return CommentPart::Ended(self.comment_too_large());
        }
        self.comment.push(text, self.limit());
        if part == Part::Tail {
            self.block.end_comment();
            return CommentPart::Ended(Progress::Comment(None));
        }
        CommentPart::Open
    }

    fn comment_too_large<'c>(&self) -> Progress<'c> {
        Progress::Error(DecodeError::CommentTooLarge { limit: self.limit() })
    }

    /// Whether the open line is a comment that is buffered, or one that is skipped.
    #[inline]
    pub(super) fn open_comment(&self) -> Option<OpenComment> {
        if self.block.is_buffered_comment() {
            Some(OpenComment::Buffered)
        } else if self.block.is_skipped_comment() {
            Some(OpenComment::Skipped)
        } else {
            None
        }
    }

    /// See [`OpenBlock::clear_size`].
    pub(super) fn clear_size(&mut self) {
        self.block.clear_size();
    }

    /// Drops the comment that was returned last.
    #[inline]
    pub(super) fn forget_comment(&mut self) {
        if !self.comment.is_empty() && !self.block.is_buffered_comment() {
            self.comment.release(self.limit());
        }
    }

    /// The text of a comment in the chunk, or else of the buffered one.
    pub(super) fn borrow_comment<'a>(&'a mut self, in_chunk: Option<Scanned<'a>>) -> Result<&'a str, DecodeError> {
        self.check_comment(in_chunk)?;
        Ok(self.comment.text(in_chunk))
    }

    /// The same, owned. The text is repaired where it is then stored.
    pub(super) fn own_comment(&self, in_chunk: Option<Scanned<'_>>) -> Result<Comment, DecodeError> {
        let value = self.check_comment(in_chunk)?;
        Ok(match utf8::valid(value) {
            Some(text) => Comment::new(text),
            None => Comment::new(utf8::repaired(value.bytes())),
        })
    }

    fn check_comment<'a>(&'a self, in_chunk: Option<Scanned<'a>>) -> Result<Scanned<'a>, DecodeError> {
        let value = in_chunk.unwrap_or(self.comment.value());
        if matches!(self.utf8, Utf8Rule::Reject) {
            InvalidText::check(Field::Comment, value)?;
        }
        Ok(value)
    }

    /// The event with this data and no other value, borrowed, as `decode` returns it. Each arm wraps its result:
    /// wrapped after the match, `tiny/16384` takes 17 % more instructions.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn borrow_data<'a>(&'a mut self, data: Scanned<'a>) -> Result<Option<EventRef<'a>>, DecodeError> {
        match utf8::valid(data) {
            Some(data) => Ok(Some(EventRef::decoded("", data, self.id_in_effect(), None))),
            None => Ok(Some(self.borrow_broken(data))),
        }
    }

    /// The block with this data and no other value, borrowed.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn borrow_lone_block<'a>(&'a mut self, data: Scanned<'a>) -> BlockRef<'a> {
        match utf8::valid(data) {
            Some(data) => BlockRef::decoded(None, Some(data), self.id_in_effect(), false, None),
            None => self.borrow_broken_block(data),
        }
    }

    #[cold]
    fn borrow_broken_block<'a>(&'a mut self, data: Scanned<'a>) -> BlockRef<'a> {
        self.borrow_block(&Borrowed { data: Some(data), ..Borrowed::default() })
    }

    #[cold]
    fn borrow_broken<'a>(&'a mut self, data: Scanned<'a>) -> EventRef<'a> {
        self.borrow_event(&Borrowed { data: Some(data), ..Borrowed::default() })
    }

    /// The event with these values and no others, borrowed.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn borrow_plain<'a>(&'a self, plain: &Plain<'a>) -> EventRef<'a> {
        let (event_type, data) = (plain.event_type.unwrap_or_default(), plain.data.unwrap_or_default());
        EventRef::decoded(event_type, data, self.id_in_effect(), None)
    }

    /// The finished event, borrowed.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn borrow_event<'a>(&'a mut self, borrowed: &Borrowed<'a>) -> EventRef<'a> {
        let retry = self.block.retry();
        let id = self.last_event_id.as_ref().map(LastEventId::as_str);
        let (event_type, data) = self.block.texts(borrowed);
        EventRef::decoded(event_type, data, id, retry)
    }

    /// The block with these values and no others, borrowed.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn borrow_plain_block<'a>(&'a self, plain: &Plain<'a>) -> BlockRef<'a> {
        BlockRef::decoded(plain.event_type, plain.data, self.id_in_effect(), plain.id.is_some(), None)
    }

    /// The finished block, borrowed.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn borrow_block<'a>(&'a mut self, borrowed: &Borrowed<'a>) -> BlockRef<'a> {
        let (sets_type, has_data) = (self.block.sets_type(borrowed), self.block.has_data(borrowed));
        let (sets_id, retry) = (self.block.sets_id(borrowed), self.block.retry());
        // Without an event, the ID that it would inherit is not visible, and must not make two blocks unequal.
        let id = self.last_event_id.as_ref().filter(|_| has_data || sets_id).map(LastEventId::as_str);
        let (event_type, data) = self.block.texts(borrowed);
        BlockRef::decoded(sets_type.then_some(event_type), has_data.then_some(data), id, sets_id, retry)
    }

    #[inline(always)]
    fn id_in_effect(&self) -> Option<&str> {
        self.last_event_id.as_ref().map(LastEventId::as_str)
    }

    /// The type of the finished event, owned, unless it is the default one.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn own_type(&mut self, borrowed: &Borrowed<'_>) -> Option<Label> {
        match self.block.valid_type(borrowed) {
            Some(text) => self.recent_type.label(text),
            None => {
                self.share_id();
                self.recent_type.label(self.block.repaired_type(borrowed))
            }
        }
    }

    /// The type of an event with these values, owned.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn own_plain_type(&mut self, plain: &Plain<'_>) -> Option<Label> {
        plain.event_type.and_then(|text| self.recent_type.label(text))
    }

    /// The stored data of the finished event, owned.
    fn take_data(&mut self) -> Data {
        match self.block.take_data() {
            Some(data) => data,
            None => {
                self.share_id();
                self.block.repaired_data()
            }
        }
    }

    /// Shares the ID of an owned event before its other texts are repaired, so that they are not in memory while the
    /// ID is copied.
    #[cold]
    fn share_id(&mut self) {
        drop(self.last_event_id.as_mut().map(LastEventId::label));
    }

    /// The finished event with this type and data, owned.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn own(&mut self, event_type: Option<Label>, data: Data) -> Event {
        let id = self.last_event_id.as_mut().map(LastEventId::label);
        Event::decoded(event_type, data, id, self.block.retry())
    }

    /// The finished event, owned, if its data is stored.
    #[inline(never)]
    pub(super) fn own_stored(&mut self, borrowed: &Borrowed<'_>) -> Event {
        let event_type = self.own_type(borrowed);
        let data = self.take_data();
        self.own(event_type, data)
    }

    /// The block with these values and this data, owned.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn own_plain_block(&mut self, plain: &Plain<'_>, data: Option<Data>) -> Block {
        let event_type = plain.event_type.map(|text| self.recent_type.any_label(text));
        let id = self.last_event_id.as_mut().map(LastEventId::label);
        Block::decoded(event_type, data, id, plain.id.is_some(), None)
    }

    /// The finished block, owned. `data` is its data if that is borrowed.
    pub(super) fn own_block(&mut self, borrowed: &Borrowed<'_>, data: Option<Data>) -> Block {
        let (sets_type, sets_id) = (self.block.sets_type(borrowed), self.block.sets_id(borrowed));
        let has_data = self.block.has_data(borrowed);
        let event_type = if sets_type { Some(self.own_any_type(borrowed)) } else { None };
        let data = data.or_else(|| self.block.has_stored_data().then(|| self.take_data()));
        // As for a borrowed block.
        let id = self.last_event_id.as_mut().filter(|_| has_data || sets_id).map(LastEventId::label);
        Block::decoded(event_type, data, id, sets_id, self.block.retry())
    }

    /// The type of the finished block, owned, even if it is the default one.
    fn own_any_type(&mut self, borrowed: &Borrowed<'_>) -> Label {
        match self.block.valid_type(borrowed) {
            Some(text) => self.recent_type.any_label(text),
            None => {
                self.share_id();
                self.recent_type.any_label(self.block.repaired_type(borrowed))
            }
        }
    }

    /// Ends the stream, and handles its unfinished rest.
    pub(super) fn finish(&mut self, eof: Eof, splitter: &LineSplitter) -> Result<Option<Event>, DecodeError> {
        self.forget_comment();
        match eof {
            Eof::Discard => Ok(None),
            Eof::Dispatch => {
                let has_event = self.dispatch_unfinished::<EventsOnly>(splitter)?;
                Ok(has_event.then(|| self.own_stored(&Borrowed::default())))
            }
            Eof::Error if self.is_cut_off(splitter) => Err(DecodeError::UnexpectedEof),
            Eof::Error => Ok(None),
        }
    }

    /// Ends the stream, and returns the next item of its unfinished rest; `None` if there is no other.
    pub(super) fn finish_block(
        &mut self,
        eof: Eof,
        splitter: &mut LineSplitter,
    ) -> Result<Option<BlockItem>, DecodeError> {
        self.forget_comment();
        if let Some(time) = self.take_refused_retry() {
            return Ok(Some(BlockItem::Block(Block::default().with_retry(time))));
        }
        match eof {
            Eof::Discard => Ok(None),
            Eof::Dispatch => {
                let ended = mem::take(splitter);
                if ended.is_within_line() && self.block.is_buffered_comment() {
                    self.check_last_line(&ended)?;
                    self.block.end_comment();
                    return self.own_comment(None).map(|comment| Some(BlockItem::Comment(comment)));
                }
                let has_block = self.dispatch_unfinished::<AllBlocks>(&ended)?;
                Ok(has_block.then(|| BlockItem::Block(self.own_block(&Borrowed::default(), None))))
            }
            Eof::Error if self.is_cut_off(splitter) => {
                *splitter = LineSplitter::new();
                self.discard();
                Err(DecodeError::UnexpectedEof)
            }
            Eof::Error => Ok(None),
        }
    }

    /// Ends the line and the block in which the stream ends. Returns whether there is an event, or a block. All of it
    /// is then stored.
    fn dispatch_unfinished<S: Scope>(&mut self, splitter: &LineSplitter) -> Result<bool, DecodeError> {
        let is_within_line = splitter.is_within_line();
        if is_within_line {
            self.check_last_line(splitter)?;
        }
        if self.block.next() != Next::Read {
            return Ok(false);
        }
        if is_within_line && self.block.end_line_at_eof().is_err() {
            self.refuse_block::<S>();
            return Err(DecodeError::EventTooLarge { limit: self.limit() });
        }
        self.check_block(&mut Borrowed::default())?;
        Ok(self.dispatch_stored::<S>(None, false))
    }

    /// Checks the end of the line in which the stream ends.
    fn check_last_line(&mut self, splitter: &LineSplitter) -> Result<(), DecodeError> {
        match self.utf8 {
            Utf8Rule::Stop(check, _) => {
                check(self, Part::Tail, Scanned::from(splitter.unreturned()), &Ok(None)).map(|_| ())
            }
            _ => Ok(()),
        }
    }
}
