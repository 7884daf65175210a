//! Interprets lines as events, with the standard's buffers: [interpreting an event stream].
//!
//! A block is the lines up to a blank one. A value that is contained in a single chunk is [`Borrowed`] as long as
//! the chunk lasts. A value that has to outlive the chunk, or arrives in pieces, is copied into the buffers.
//!
//! Most lines of most streams need little of this. They are handled first by `glance.rs`.
//!
//! [interpreting an event stream]: https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation

mod comments;
mod finished_event;
mod glance;
mod partial_lines;

use self::comments::CommentPart;
use super::{
    DecodeError, Eof, InvalidText, InvalidUtf8, Position,
    block_buffers::BlockBuffers,
    borrowed::Borrowed,
    comment_buffer::CommentBuffer,
    digits::Digits,
    last_event_id::LastEventId,
    open_line::OpenLine,
    progress::Progress,
    recent_type::RecentType,
    scope::{AllBlocks, EventsOnly, Scope},
    size::{Size, TooLarge},
    utf8,
};
use crate::{
    event::{BlockItem, BlockRef, Event},
    line::{Field, LineSplitter, Part, Scanned, Walk},
};
use core::time::Duration;

#[derive(Clone, Debug)]
pub(super) struct Interpreter {
    state: State,
    size: Size,
    open: OpenLine,
    buffers: BlockBuffers,
    /// The reconnection time that this block sets.
    retry: Option<Duration>,
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
    invalid_utf8: InvalidUtf8,
    comment: CommentBuffer,
}

/// The state of the present block.
///
/// Most events are borrowed from their chunk and leave the buffers unused. Checking this one enum replaces checking
/// every buffer after each event (benches/history.md has the figures).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// The buffers are empty: all values of the block so far are borrowed from the chunk. At the start of a call
    /// nothing is borrowed, so it then means that no line of the block has been counted.
    Unbuffered,
    /// The end of the block needs the buffers, the reconnection time or the size, or checks for invalid UTF-8.
    Buffered,
    /// The event has been returned. Its text may still be borrowed from the buffers, so they are emptied when the
    /// next block begins.
    Dispatched,
    /// The block has exceeded the limit. Its lines are skipped up to the blank one.
    TooLarge,
}

impl Interpreter {
    pub(super) fn new(limit: usize) -> Interpreter {
        Interpreter {
            state: State::Unbuffered,
            size: Size::new(limit),
            open: OpenLine::START,
            buffers: BlockBuffers::default(),
            retry: None,
            reconnection_time: None,
            last_event_id: None,
            recent_type: RecentType::default(),
            invalid_utf8: InvalidUtf8::default(),
            comment: CommentBuffer::default(),
        }
    }

    pub(super) fn set_limit(&mut self, limit: usize) {
        let is_lower = limit < self.size.limit();
        self.size.set_limit(limit);
        if is_lower {
            if !matches!(self.open, OpenLine::BufferedComment) {
                self.comment.release(limit);
            }
            self.begin_if_between();
        }
    }

    pub(super) fn set_invalid_utf8(&mut self, invalid_utf8: InvalidUtf8) {
        self.invalid_utf8 = invalid_utf8;
        self.begin_if_between();
    }

    pub(super) fn clear_size(&mut self) {
        self.size.clear();
    }

    /// Begins the next block under a changed setting, unless a block is open.
    fn begin_if_between(&mut self) {
        if matches!(self.state, State::Unbuffered | State::Dispatched) {
            self.begin_block();
        }
    }

    /// Whether the end of each block checks for invalid UTF-8. Such blocks are never [`State::Unbuffered`], so no
    /// other code needs to check the setting.
    fn is_strict(&self) -> bool {
        self.invalid_utf8 == InvalidUtf8::Reject
    }

    pub(super) fn limit(&self) -> usize {
        self.size.limit()
    }

    #[inline]
    pub(super) fn last_event_id(&self) -> &str {
        self.last_event_id.as_ref().map_or("", LastEventId::as_str)
    }

    /// The last valid `retry`, which takes effect before its block is complete.
    pub(super) fn reconnection_time(&self) -> Option<Duration> {
        self.retry.or(self.reconnection_time)
    }

    /// Whether no block is open: no data, event or id line has come since the last block ended.
    pub(super) fn is_between_blocks(&self) -> bool {
        self.size.is_zero() && self.state != State::TooLarge
    }

    /// Reads lines up to the blank one that completes an event, or to the end of the chunk.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn read<'c, S: Scope>(&mut self, walk: &mut Walk<'c>, borrowed: &mut Borrowed<'c>) -> Progress<'c> {
        match self.state {
            State::Unbuffered | State::Buffered => {}
            State::Dispatched => self.begin_block(),
            State::TooLarge if S::HAS_ALL && self.retry.is_some() => return Progress::RefusedRetry,
            State::TooLarge => {
                let mut copy = *walk;
                let comment = self.pass_over::<S>(&mut copy);
                *walk = copy;
                if let Some(comment) = comment {
                    return comment;
                }
            }
        }
        self.interpret::<S>(walk, borrowed).unwrap_or_else(|TooLarge| {
            self.refuse_block::<S>();
            Progress::TooLarge
        })
    }

    /// Skips the rest of a block that is too large, up to its blank line or to a comment.
    #[cold]
    fn pass_over<'c, S: Scope>(&mut self, walk: &mut Walk<'c>) -> Option<Progress<'c>> {
        while let Some((part, text)) = walk.part() {
            if S::HAS_ALL
                && let CommentPart::Ended(comment) = self.comment_part::<S>(part, text, &mut Borrowed::default())
            {
                return Some(comment);
            }
            if part == Part::Line && text.bytes().is_empty() {
                self.begin_block();
                return S::HAS_BOUNDARIES.then_some(Progress::BlankLine);
            }
        }
        None
    }

    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn interpret<'c, S: Scope>(
        &mut self,
        walk: &mut Walk<'c>,
        borrowed: &mut Borrowed<'c>,
    ) -> Result<Progress<'c>, TooLarge> {
        loop {
            let line = match walk.part() {
                Some((Part::Line, line)) => line,
                Some((part, text)) => {
                    match if S::HAS_ALL { self.comment_part::<S>(part, text, borrowed) } else { CommentPart::Not } {
                        CommentPart::Not if S::HAS_BOUNDARIES => self.counted_part(part, text, borrowed)?,
                        CommentPart::Not => self.part(part, text, borrowed)?,
                        CommentPart::Open => {}
                        CommentPart::Ended(comment) => return Ok(comment),
                    }
                    continue;
                }
                None => break,
            };
            match line.bytes() {
                [] => {
                    if let Err(error) = self.check_utf8(borrowed) {
                        return Ok(Progress::Invalid(error));
                    }
                    if self.dispatch::<S>(borrowed) {
                        return Ok(Progress::Event);
                    }
                    if S::HAS_BOUNDARIES {
                        return Ok(Progress::BlankLine);
                    }
                }
                // Comments first, because some streams consist of little else.
                [b':', ..] => {
                    if S::HAS_ALL
                        && let CommentPart::Ended(comment) = self.comment_part::<S>(Part::Line, line, borrowed)
                    {
                        return Ok(comment);
                    }
                }
                _ => self.line::<S>(line, borrowed)?,
            }
        }
        self.buffer(borrowed);
        Ok(Progress::NeedsMore)
    }

    /// Reads a line that is contained in the chunk and is neither blank nor a comment.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn line<'c, S: Scope>(&mut self, line: Scanned<'c>, borrowed: &mut Borrowed<'c>) -> Result<(), TooLarge> {
        if S::HAS_BOUNDARIES {
            self.size.count(line.bytes().len() + 1)?;
        }
        let Some((field, value)) = line.field() else { return Ok(()) };
        match field {
            Field::Comment | Field::Other => return Ok(()),
            Field::Retry => {
                self.end_retry(Digits::Empty.fold(value.bytes()));
                return Ok(());
            }
            Field::Data | Field::EventType | Field::Id => {}
        }
        if !S::HAS_BOUNDARIES {
            self.size.count(line.bytes().len() + 1)?;
        }
        match field {
            Field::Data => match borrowed.data.take() {
                Some(first) => self.buffer_lines(first, value),
                None if self.state == State::Unbuffered || self.buffers.data.is_empty() => borrowed.data = Some(value),
                None => {
                    let limit = self.size.limit();
                    self.buffers().data.push_line(value, limit);
                }
            },
            Field::EventType => borrowed.event_type = Some(value),
            // An ID with a NUL is ignored. A value that the walk knows to be ASCII has none.
            Field::Id if value.text().is_some() || !value.bytes().contains(&0) => borrowed.id = Some(value),
            _ => {}
        }
        Ok(())
    }

    /// Copies the first two data lines into the buffer.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn buffer_lines(&mut self, first: Scanned<'_>, second: Scanned<'_>) {
        let limit = self.size.limit();
        let data = &mut self.buffers().data;
        data.push_line(first, limit);
        data.push_line(second, limit);
    }

    /// Marks the buffers as in use, so that the end of the block reads them, and returns them.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn buffers(&mut self) -> &mut BlockBuffers {
        self.state = State::Buffered;
        &mut self.buffers
    }

    fn end_retry(&mut self, digits: Digits) {
        if let Some(time) = digits.milliseconds() {
            self.buffers();
            self.retry = Some(time);
        }
    }

    /// Copies the borrowed values into the buffers because the chunk ends.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn buffer(&mut self, borrowed: &mut Borrowed<'_>) {
        if borrowed.data.is_some() || borrowed.event_type.is_some() || borrowed.id.is_some() {
            let limit = self.size.limit();
            self.buffers().take_over(borrowed, limit);
        } else if !self.size.is_zero() {
            self.buffers();
        }
    }

    /// Rejects a block with a value that is not UTF-8, if the setting requires it.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn check_utf8(&mut self, borrowed: &mut Borrowed<'_>) -> Result<(), DecodeError> {
        if self.is_strict() { self.check_values(borrowed) } else { Ok(()) }
    }

    #[cold]
    fn check_values(&mut self, borrowed: &mut Borrowed<'_>) -> Result<(), DecodeError> {
        for field in [Field::EventType, Field::Id, Field::Data] {
            let value = match field {
                Field::EventType => borrowed.event_type.unwrap_or(self.buffers.event_type.value()),
                Field::Id => borrowed.id.or_else(|| self.buffers.id()).unwrap_or(Scanned::from("")),
                _ => borrowed.data.unwrap_or(self.buffers.data.value()),
            };
            if let Err(error) = InvalidText::check(field, value) {
                *borrowed = Borrowed::default();
                self.retry = None;
                self.begin_block();
                return Err(error);
            }
        }
        Ok(())
    }

    /// Ends the block at its blank line: its ID takes effect. Returns whether it has what the caller reads: data, or
    /// any field.
    ///
    /// Its text stays in place until [`begin_block`](Interpreter::begin_block).
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn dispatch<S: Scope>(&mut self, borrowed: &mut Borrowed<'_>) -> bool {
        let id = borrowed.id;
        let has_any = borrowed.data.is_some() || S::HAS_ALL && (borrowed.event_type.is_some() || id.is_some());
        let valid_id = id.and_then(utf8::valid);
        let is_returned = if self.state != State::Unbuffered || id.is_some() != valid_id.is_some() {
            self.dispatch_buffered::<S>(id, has_any)
        } else {
            self.size.clear();
            if let Some(id) = valid_id {
                self.last_event_id.get_or_insert_default().set(id);
            }
            has_any
        };
        if !is_returned {
            *borrowed = Borrowed::default();
        }
        is_returned
    }

    /// The same if buffers are in use or a borrowed ID is not UTF-8, and at the end of the stream.
    #[inline(never)]
    fn dispatch_buffered<S: Scope>(&mut self, id: Option<Scanned<'_>>, has_borrowed: bool) -> bool {
        if let Some(id) = id.or_else(|| self.buffers.id()) {
            self.last_event_id.get_or_insert_default().set_value(id);
        }
        let has_stored =
            if S::HAS_ALL { self.buffers.has_any() || self.retry.is_some() } else { !self.buffers.data.is_empty() };
        if !has_borrowed && !has_stored {
            self.begin_block();
            return false;
        }
        self.size.clear();
        self.state = State::Dispatched;
        true
    }

    /// Sets the ID, or removes it.
    pub(super) fn replace_last_event_id(&mut self, id: Option<&str>) {
        match id {
            Some(id) => self.last_event_id.get_or_insert_default().set(id),
            None => self.last_event_id = None,
        }
    }

    /// Discards the contents of the block, except a reconnection time, which has taken effect. The block stays open.
    pub(super) fn discard(&mut self) {
        self.close();
        let limit = self.size.limit();
        self.buffers().recycle(limit);
    }

    fn close(&mut self) {
        self.reconnection_time = self.reconnection_time();
        self.retry = None;
        self.open = OpenLine::START;
        self.comment.release(self.size.limit());
        self.size.clear();
    }

    /// Discards a block that is too large, including the part that has not arrived yet. The buffers are emptied at its
    /// end, but for the data, to which a fast path would add more.
    fn refuse_block<S: Scope>(&mut self) {
        let retry = self.retry;
        self.close();
        self.buffers.data.clear();
        self.state = State::TooLarge;
        if S::HAS_ALL {
            // It has taken effect, but has not been returned.
            self.retry = retry;
        }
    }

    pub(super) fn too_large(&self) -> DecodeError {
        DecodeError::EventTooLarge { limit: self.size.limit() }
    }

    /// Empties the buffers for the next block.
    fn begin_block(&mut self) {
        self.size.clear();
        self.reconnection_time = self.reconnection_time();
        self.retry = None;
        // A large buffer is checked after each block until it is released.
        let is_large = self.buffers.recycle(self.size.limit());
        self.state = if is_large || self.is_strict() { State::Buffered } else { State::Unbuffered };
    }

    /// Ends the stream, and handles its unfinished rest.
    pub(super) fn finish(&mut self, eof: Eof, splitter: &LineSplitter) -> Result<Option<Event>, DecodeError> {
        self.forget_comment();
        match eof {
            Eof::Discard => Ok(None),
            Eof::Dispatch => {
                let has_event = self.dispatch_unfinished::<EventsOnly>(splitter.is_within_line())?;
                Ok(has_event.then(|| self.own_buffered()))
            }
            Eof::Error if self.is_cut_off(splitter) => Err(DecodeError::UnexpectedEof),
            Eof::Error => Ok(None),
        }
    }

    /// Ends the stream, and returns the next block of its unfinished rest; `None` if there is no other.
    pub(super) fn finish_block(
        &mut self,
        eof: Eof,
        splitter: &mut LineSplitter,
    ) -> Result<Option<BlockItem>, DecodeError> {
        self.forget_comment();
        if let Some(block) = self.take_refused_retry() {
            return Ok(Some(BlockItem::Block(block.to_block())));
        }
        if eof == Eof::Dispatch {
            let is_within_line = splitter.is_within_line();
            *splitter = LineSplitter::new();
            if is_within_line && self.end_comment_at_eof() {
                return self.own_comment(None).map(Some);
            }
            return match self.dispatch_unfinished::<AllBlocks>(is_within_line) {
                Ok(true) => Ok(Some(BlockItem::Block(self.own_buffered_block()))),
                Ok(false) => Ok(None),
                Err(error) => Err(error),
            };
        }
        if eof == Eof::Error && self.is_cut_off(splitter) {
            *splitter = LineSplitter::new();
            self.discard();
            return Err(DecodeError::UnexpectedEof);
        }
        Ok(None)
    }

    /// The reconnection time of a block that is too large. It has taken effect, so it is returned after the error, as
    /// a block of its own.
    pub(super) fn take_refused_retry(&mut self) -> Option<BlockRef<'static>> {
        if self.state != State::TooLarge {
            return None;
        }
        self.reconnection_time = self.reconnection_time();
        self.retry.take().map(|time| BlockRef::decoded(None, None, None, false, Some(time)))
    }

    /// Whether nothing is left to do for what has been read: no block is refused, and no comment is buffered.
    #[inline(always)]
    pub(super) fn is_drained(&self) -> bool {
        self.state != State::TooLarge && self.comment.is_empty()
    }

    /// Whether the stream ends inside something other than a comment.
    fn is_cut_off(&self, splitter: &LineSplitter) -> bool {
        let is_in_comment =
            matches!(self.open, OpenLine::Space(Field::Comment) | OpenLine::Comment | OpenLine::BufferedComment);
        self.state != State::TooLarge && (!self.is_between_blocks() || splitter.is_within_line() && !is_in_comment)
    }

    pub(super) fn position(&self, splitter: &LineSplitter) -> Position {
        if self.state == State::TooLarge || self.is_cut_off(splitter) {
            Position::WithinBlock
        } else if splitter.is_within_line() {
            Position::WithinComment
        } else {
            Position::BetweenBlocks
        }
    }

    /// Ends the line and the block in which the stream ends. Returns whether there is an event. All of it is then
    /// buffered.
    fn dispatch_unfinished<S: Scope>(&mut self, is_within_line: bool) -> Result<bool, DecodeError> {
        if matches!(self.state, State::Dispatched | State::TooLarge) {
            return Ok(false);
        }
        if is_within_line && self.end_line_at_eof().is_err() {
            self.refuse_block::<S>();
            return Err(self.too_large());
        }
        self.check_utf8(&mut Borrowed::default())?;
        Ok(self.dispatch_buffered::<S>(None, false))
    }
}
