//! The block that is being read, line by line.
//!
//! A value that is contained in a single chunk is [`BorrowedFields`] as long as the chunk lasts. A value that has to
//! outlive the chunk, or arrives in pieces, is copied into the [`BlockBuffers`].
//!
//! # The fast paths
//!
//! Most lines of most streams need little of this: they are ASCII, with a space after the colon, and an LF at the end.
//! The first methods read such lines, some also other text and CRLF. Each reads the lines that it can handle and
//! leaves the rest to the next one, and finally to [`line`](OpenBlock::line) and [`part`](OpenBlock::part), which
//! handle everything. A path that returns `false` may therefore have read some lines. benches/history.md has the gain
//! of each.
//!
//! Three rules make them safe:
//!
//! * `Empty` at the start of a call means that no line of the block has been counted.
//! * A path reads a line only if it fits the limit, so only the general path reports an event that is too large.
//! * A path that gives up leaves the state as the general path expects it.

use super::{
    DecodeError, InvalidText,
    block_buffers::BlockBuffers,
    borrowed_fields::{AsciiFields, BorrowedFields},
    digits::Digits,
    open_line::{Name, OpenLine, StoredField},
    scope::Scope,
    size::{Size, TooLarge},
    text_buffer::TextBuffer,
    utf8,
};
use crate::{
    event::Data,
    line::{Field, Part, Scanned, Walk},
};
use core::time::Duration;

/// The beginning of most lines, also of those that [`Walk::lone_line`] passes.
const DATA: &str = "data: ";

/// This many bytes of a line determine its field and where its value begins: `retry`, a colon and a space.
const LONGEST_PREFIX: usize = 7;

#[derive(Clone, Debug)]
pub(super) struct OpenBlock {
    state: State,
    size: Size,
    open: OpenLine,
    buffers: BlockBuffers,
    /// The reconnection time that the block sets.
    retry: Option<Duration>,
}

/// Most events are borrowed from their chunk and leave the buffers unused. Checking this one enum replaces checking
/// every buffer after each event (benches/history.md has the figures).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// No value of the block is stored here: what this call has read so far is borrowed from its chunk.
    Empty,
    /// The end of the block needs the buffers, the reconnection time or the size, or checks for invalid UTF-8.
    Stored,
    /// The block has been returned. Its text may still be borrowed from the buffers, so they are emptied when the next
    /// block begins.
    Dispatched,
    /// The block has exceeded the limit. Its lines are skipped up to the blank one.
    TooLarge,
    /// The stream has ended before its last byte, because of an invalid line.
    Ended,
}

/// How the general path goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// With the lines of the open block.
    Read,
    /// With the first line of the next block, after [`OpenBlock::begin`].
    Begin,
    /// By skipping the rest of a block that is too large.
    Skip,
    /// Not at all.
    End,
}

impl OpenBlock {
    pub(super) fn new(limit: usize) -> OpenBlock {
        OpenBlock {
            state: State::Empty,
            size: Size::new(limit),
            open: OpenLine::START,
            buffers: BlockBuffers::default(),
            retry: None,
        }
    }

    /// The data that is stored of a block that is still open.
    pub(super) fn unfinished_data(&self) -> &[u8] {
        if self.state == State::Stored { self.buffers.data.so_far() } else { &[] }
    }

    #[inline]
    pub(super) fn limit(&self) -> usize {
        self.size.limit()
    }

    pub(super) fn set_limit(&mut self, limit: usize) {
        self.size.set_limit(limit);
    }

    #[inline(always)]
    pub(super) fn next(&self) -> Next {
        match self.state {
            State::Empty | State::Stored => Next::Read,
            State::Dispatched => Next::Begin,
            State::TooLarge => Next::Skip,
            State::Ended => Next::End,
        }
    }

    /// Whether no block is open: no data, event or id line has come since the last block ended.
    pub(super) fn is_between(&self) -> bool {
        self.size.is_zero() && !self.is_refused()
    }

    /// Whether the block is too large, and its rest is skipped.
    #[inline(always)]
    pub(super) fn is_refused(&self) -> bool {
        self.state == State::TooLarge
    }

    #[inline(always)]
    pub(super) fn has_ended(&self) -> bool {
        self.state == State::Ended
    }

    /// Whether nothing of a block is open or stored, so that a setting can change the state.
    pub(super) fn is_unused(&self) -> bool {
        matches!(self.state, State::Empty | State::Dispatched)
    }

    #[inline]
    pub(super) fn retry(&self) -> Option<Duration> {
        self.retry
    }

    pub(super) fn take_retry(&mut self) -> Option<Duration> {
        self.retry.take()
    }

    /// The data of the most common event, one data line and a blank line; or the part of that line that the chunk
    /// contains.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn lone_line<'c>(&mut self, walk: &mut Walk<'c>) -> Option<(Part, Scanned<'c>)> {
        if self.state != State::Empty {
            return None;
        }
        // The line end counts as well.
        walk.lone_line(self.size.room().checked_sub(1)?)
    }

    /// Reads the beginning of a [lone line](OpenBlock::lone_line).
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn begin_lone_line(&mut self, head: Scanned<'_>) {
        self.size.add(DATA.len() + head.bytes().len());
        self.open = OpenLine::Value(StoredField::Data);
        let limit = self.limit();
        let buffers = self.buffers();
        buffers.begin_data(limit);
        buffers.data.push(head, limit);
    }

    /// Reads more of an open data line or comment. Returns whether it continues beyond the chunk.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn rest_of_line<S: Scope>(&mut self, walk: &mut Walk<'_>) -> bool {
        let room = || match self.open {
            // The line end counts as well.
            OpenLine::Value(StoredField::Data) if self.state == State::Stored => self.size.room().checked_sub(1),
            OpenLine::Comment if !S::HAS_BOUNDARIES => Some(usize::MAX),
            _ => None,
        };
        let Some((part, text)) = walk.rest_of_line(room) else { return false };
        match part {
            _ if matches!(self.open, OpenLine::Comment) => {}
            Part::Middle => {
                self.size.add(text.bytes().len());
                self.buffers.data.push(text, self.size.limit());
            }
            _ => {
                self.size.add(text.bytes().len() + 1);
                self.buffers.data.push_line(text, self.size.limit());
            }
        }
        part == Part::Middle
    }

    /// The same for a type or an ID. Apart from data, because that would pay for it: 7 % on `mib` in 64-byte chunks.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn rest_of_label(&mut self, walk: &mut Walk<'_>) -> bool {
        let OpenLine::Value(field @ (StoredField::EventType | StoredField::Id)) = self.open else { return false };
        // The line end counts as well.
        let room = || if self.state == State::Stored { self.size.room().checked_sub(1) } else { None };
        let Some((part, text)) = walk.rest_of_line(room) else { return false };
        let is_open = part == Part::Middle;
        let limit = self.limit();
        self.size.add(text.bytes().len() + usize::from(!is_open));
        self.buffers.push(field, text, limit);
        if !is_open {
            self.buffers.end(field, limit);
        }
        is_open
    }

    /// Whether no line of a block has been counted or stored.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn is_clear(&self) -> bool {
        self.size.is_zero() && self.state == State::Empty
    }

    /// Passes comments and blank lines between two blocks, for callers that ignore both. Returns whether the chunk
    /// contained nothing else, which is also true of an empty rest.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn pass_comments(&mut self, walk: &mut Walk<'_>) -> bool {
        if !self.is_clear() {
            return false;
        }
        let last = walk.pass_comments();
        if last == Some(Part::Head) {
            self.open = OpenLine::Comment;
        }
        last.is_some()
    }

    /// Reads a comment between two blocks and returns its text, or a blank line and returns `Some(None)`.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn line_between<'c>(&mut self, walk: &mut Walk<'c>) -> Option<Option<&'c str>> {
        if !self.is_clear() {
            return None;
        }
        let limit = self.limit();
        let mut text = None;
        let is_taken = walk.ascii_line_if(|line| {
            text = line.strip_prefix(':').filter(|_| line.len() < limit);
            line.is_empty() || text.is_some()
        });
        is_taken.then(|| text.map(|text| text.strip_prefix(' ').unwrap_or(text)))
    }

    /// Reads the blank line of a block whose values are all stored.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn blank_line(&mut self, walk: &mut Walk<'_>) -> bool {
        self.state == State::Stored && walk.blank_line()
    }

    /// Reads the first lines of a block as long as each sets a different value. The values stay in registers.
    /// Returns whether the lines completed an event.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn plain_lines<'c>(&mut self, walk: &mut Walk<'c>, plain: &mut AsciiFields<'c>) -> bool {
        if self.state != State::Empty {
            return false;
        }
        let (mut size, limit) = (0, self.limit());
        while walk.ascii_line_if(|line| {
            let with_line = size + line.len() + 1;
            let is_set = with_line <= limit && plain.set(line);
            size = if is_set { with_line } else { size };
            is_set
        }) {}
        if plain.data.is_some() && walk.ascii_line_if(str::is_empty) {
            return true;
        }
        self.size.add(size);
        false
    }

    /// Reads data lines after the first one, and at the end of the chunk the beginning of any. Returns whether the last
    /// one goes on beyond the chunk.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn more_lines(&mut self, walk: &mut Walk<'_>, plain: &mut AsciiFields<'_>) -> bool {
        if !matches!(self.state, State::Empty | State::Stored) {
            return false;
        }
        let (mut size, room, limit) = (0, self.size.room(), self.limit());
        let mut is_cut = false;
        let buffers = &mut self.buffers;
        while walk.ascii_part_if(|part, line| {
            let with_line = size + line.len() + 1;
            let Some(value) = line.strip_prefix(DATA).filter(|_| with_line <= room).map(Scanned::from) else {
                return false;
            };
            // The first data line of a block stays in its chunk.
            if part == Part::Line && plain.data.is_none() && buffers.data.is_empty() {
                return false;
            }
            if let Some(first) = plain.data.take() {
                buffers.data.push_line(Scanned::from(first), limit);
            }
            if part == Part::Line {
                buffers.data.push_line(value, limit);
            } else {
                buffers.begin_data(limit);
                buffers.data.push(value, limit);
                is_cut = true;
            }
            size = with_line;
            true
        }) {}
        if size == 0 {
            return false;
        }
        if is_cut {
            // It has no line end yet.
            size -= 1;
            self.open = OpenLine::Value(StoredField::Data);
            if plain.event_type.is_some() || plain.id.is_some() {
                self.buffers.take_over(&mut BorrowedFields::from(*plain), limit);
            }
        }
        self.size.add(size);
        self.buffers();
        is_cut
    }

    /// Reads a line that is contained in the chunk and is neither blank nor a comment.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn line<'c, S: Scope>(
        &mut self,
        line: Scanned<'c>,
        borrowed: &mut BorrowedFields<'c>,
    ) -> Result<(), TooLarge> {
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
                Some(first) => self.store_lines(first, value),
                None if self.state == State::Empty || self.buffers.data.is_empty() => borrowed.data = Some(value),
                None => {
                    let limit = self.limit();
                    self.buffers().data.push_line(value, limit);
                }
            },
            Field::EventType => borrowed.event_type = Some(value),
            // An ID with a NUL is ignored. A value that the walk knows to be ASCII has none.
            Field::Id if value.text().is_some() || !value.has_nul() => borrowed.id = Some(value),
            _ => {}
        }
        Ok(())
    }

    /// Copies the first two data lines into the buffer.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn store_lines(&mut self, first: Scanned<'_>, second: Scanned<'_>) {
        let limit = self.limit();
        let data = &mut self.buffers().data;
        data.push_line(first, limit);
        data.push_line(second, limit);
    }

    /// Marks the buffers as in use, so that the end of the block reads them, and returns them.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn buffers(&mut self) -> &mut BlockBuffers {
        self.state = State::Stored;
        &mut self.buffers
    }

    fn end_retry(&mut self, digits: Digits) {
        if let Some(time) = digits.milliseconds() {
            self.state = State::Stored;
            self.retry = Some(time);
        }
    }

    /// Copies the borrowed values into the buffers because the chunk ends.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn store(&mut self, borrowed: &mut BorrowedFields<'_>) {
        if borrowed.data.is_some() || borrowed.event_type.is_some() || borrowed.id.is_some() {
            let limit = self.limit();
            self.buffers().take_over(borrowed, limit);
        } else if !self.size.is_zero() {
            self.state = State::Stored;
        }
    }

    /// Reads a part of a line that crosses a chunk boundary.
    #[inline(never)]
    pub(super) fn part(
        &mut self,
        part: Part,
        text: Scanned<'_>,
        borrowed: &mut BorrowedFields<'_>,
    ) -> Result<(), TooLarge> {
        if part == Part::Head {
            self.store(borrowed);
            return self.begin_line(text);
        }
        self.more(text)?;
        if part == Part::Tail { self.end_line() } else { Ok(()) }
    }

    /// The same if lines of all fields count. The part is counted here, as soon as it is read.
    pub(super) fn counted_part(
        &mut self,
        part: Part,
        text: Scanned<'_>,
        borrowed: &mut BorrowedFields<'_>,
    ) -> Result<(), TooLarge> {
        self.size.count(text.bytes().len() + usize::from(part == Part::Tail))?;
        let counted = self.size;
        // What the line counts from here on cannot exceed the limit: it has been counted already.
        self.size.clear();
        let outcome = self.part(part, text, borrowed);
        self.size = counted;
        outcome
    }

    /// Reads the beginning of a line that continues beyond its chunk. Nothing is borrowed any more.
    #[inline]
    fn begin_line(&mut self, head: Scanned<'_>) -> Result<(), TooLarge> {
        self.open = OpenLine::START;
        if head.bytes().len() < LONGEST_PREFIX {
            return self.continue_prefix(head);
        }
        // It contains the name and all that precedes the value.
        let Some((field, value)) = head.field() else {
            self.open = OpenLine::Other;
            return Ok(());
        };
        self.open = OpenLine::for_value(field);
        match self.open {
            OpenLine::Value(kept) => {
                self.size.count(head.bytes().len())?;
                let limit = self.limit();
                let buffers = self.buffers();
                buffers.begin(kept, limit);
                buffers.push(kept, value, limit);
            }
            OpenLine::Digits(digits) => self.open = OpenLine::Digits(digits.fold(value.bytes())),
            _ => {}
        }
        Ok(())
    }

    /// Reads more of the open line.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn more(&mut self, piece: Scanned<'_>) -> Result<(), TooLarge> {
        match self.open {
            OpenLine::Value(kept) => {
                self.size.count(piece.bytes().len())?;
                let limit = self.limit();
                self.buffers().push(kept, piece, limit);
                Ok(())
            }
            _ => self.continue_prefix(piece),
        }
    }

    /// Reads more of the open line on the general path, step by step up to its value.
    fn continue_prefix(&mut self, mut piece: Scanned<'_>) -> Result<(), TooLarge> {
        while let Some(first) = piece.bytes().first() {
            match self.open {
                OpenLine::Name(name) => {
                    let (before_colon, has_colon) = Name::split(piece.bytes());
                    let Some(name) = name.with(before_colon) else {
                        self.open = OpenLine::Other;
                        return Ok(());
                    };
                    if !has_colon {
                        self.open = OpenLine::Name(name);
                        return Ok(());
                    }
                    piece = skip(piece, before_colon.len() + 1);
                    self.open = OpenLine::Space(name.field());
                    self.count_name(name.field(), name.len() + 1)?;
                }
                OpenLine::Space(field) => {
                    self.begin_value(field);
                    if *first == b' ' {
                        piece = skip(piece, 1);
                        self.count_name(field, 1)?;
                    }
                }
                OpenLine::Value(_) => return self.more(piece),
                OpenLine::Digits(digits) => {
                    self.open = OpenLine::Digits(digits.fold(piece.bytes()));
                    return Ok(());
                }
                OpenLine::Comment | OpenLine::BufferedComment | OpenLine::Other => return Ok(()),
            }
        }
        Ok(())
    }

    /// Counts the bytes before a value, if the line counts. That is known at its colon, or at its end if it has none,
    /// so no step has to be undone.
    fn count_name(&mut self, field: Field, bytes: usize) -> Result<(), TooLarge> {
        match OpenLine::for_value(field) {
            OpenLine::Value(_) => {
                self.state = State::Stored;
                self.size.count(bytes)
            }
            _ => Ok(()),
        }
    }

    fn begin_value(&mut self, field: Field) {
        self.open = OpenLine::for_value(field);
        if let OpenLine::Value(kept) = self.open {
            let limit = self.limit();
            self.buffers().begin(kept, limit);
        }
    }

    /// Ends the open line at a line end.
    fn end_line(&mut self) -> Result<(), TooLarge> {
        self.end_line_at_eof()?;
        match self.open {
            OpenLine::Value(_) => self.size.count(1),
            _ => Ok(()),
        }
    }

    /// Ends the open line at the end of the stream. There is no line end to be counted.
    pub(super) fn end_line_at_eof(&mut self) -> Result<(), TooLarge> {
        match self.open {
            OpenLine::Name(name) => {
                self.count_name(name.field(), name.len())?;
                self.begin_value(name.field());
            }
            OpenLine::Space(field) => self.begin_value(field),
            _ => {}
        }
        match self.open {
            OpenLine::Value(kept) => {
                let limit = self.limit();
                self.buffers().end(kept, limit);
            }
            OpenLine::Digits(digits) => self.end_retry(digits),
            _ => {}
        }
        Ok(())
    }

    /// Whether the open line is a comment, if one is open.
    pub(super) fn is_comment(&self) -> bool {
        matches!(self.open, OpenLine::Space(Field::Comment) | OpenLine::Comment | OpenLine::BufferedComment)
    }

    /// Whether the open line is a comment that is buffered.
    #[inline]
    pub(super) fn is_buffered_comment(&self) -> bool {
        matches!(self.open, OpenLine::BufferedComment)
    }

    /// Whether the open line is a comment that is skipped.
    #[inline]
    pub(super) fn is_skipped_comment(&self) -> bool {
        matches!(self.open, OpenLine::Comment)
    }

    /// Begins a comment that is buffered elsewhere.
    pub(super) fn begin_comment(&mut self) {
        self.open = OpenLine::BufferedComment;
    }

    /// Skips the rest of the open comment.
    pub(super) fn skip_comment(&mut self) {
        self.open = OpenLine::Comment;
    }

    /// Ends the open comment.
    pub(super) fn end_comment(&mut self) {
        self.open = OpenLine::START;
    }

    /// Checks the values that would take effect.
    #[cold]
    pub(super) fn check_utf8(&self, borrowed: &BorrowedFields<'_>) -> Result<(), DecodeError> {
        for field in [Field::EventType, Field::Id, Field::Data] {
            let value = match field {
                Field::EventType => borrowed.event_type.unwrap_or(self.buffers.event_type.value()),
                Field::Id => borrowed.id.or_else(|| self.buffers.id()).unwrap_or(Scanned::from("")),
                _ => borrowed.data.unwrap_or(self.buffers.data.value()),
            };
            InvalidText::check(field, value)?;
        }
        Ok(())
    }

    /// Whether nothing is stored, so that the end of the block has nothing to do here.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn is_empty(&self) -> bool {
        self.state == State::Empty
    }

    /// Forgets what has been counted of the block.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn clear_size(&mut self) {
        self.size.clear();
    }

    /// Ends the block. Its text stays in place until [`begin`](OpenBlock::begin).
    pub(super) fn dispatch(&mut self) {
        self.size.clear();
        self.state = State::Dispatched;
    }

    /// Empties the buffers for the next block. Returns the reconnection time that the last one has set.
    pub(super) fn begin(&mut self, is_strict: bool) -> Option<Duration> {
        self.size.clear();
        // A large buffer is checked after each block until it is released.
        let is_large = self.buffers.recycle(self.size.limit());
        self.state = if is_large || is_strict { State::Stored } else { State::Empty };
        self.retry.take()
    }

    /// Discards a block that is too large, including the part that has not arrived yet. The buffers are emptied at its
    /// end. Its reconnection time has taken effect, and stays here.
    pub(super) fn refuse(&mut self) {
        self.close();
        self.state = State::TooLarge;
    }

    /// Ends the stream. The block has been discarded.
    pub(super) fn end(&mut self) {
        self.state = State::Ended;
    }

    fn close(&mut self) {
        self.open = OpenLine::START;
        self.size.clear();
    }

    /// The ID that the block has stored, if any.
    #[inline]
    pub(super) fn stored_id(&self) -> Option<Scanned<'_>> {
        self.buffers.id()
    }

    pub(super) fn has_stored_data(&self) -> bool {
        !self.buffers.data.is_empty()
    }

    /// Whether the block has stored any field.
    pub(super) fn has_stored(&self) -> bool {
        self.retry.is_some() || self.buffers.has_any()
    }

    pub(super) fn sets_id(&self, borrowed: &BorrowedFields<'_>) -> bool {
        borrowed.id.is_some() || self.buffers.id().is_some()
    }

    pub(super) fn sets_type(&self, borrowed: &BorrowedFields<'_>) -> bool {
        borrowed.event_type.is_some() || self.buffers.event_type().is_some()
    }

    pub(super) fn has_data(&self, borrowed: &BorrowedFields<'_>) -> bool {
        borrowed.data.is_some() || self.has_stored_data()
    }

    /// The type and the data of the finished block, repaired where they are not UTF-8.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn texts<'a>(&'a mut self, borrowed: &BorrowedFields<'a>) -> (&'a str, &'a str) {
        let event_type = valid_or(&borrowed.event_type, self.buffers.event_type.value());
        let data = valid_or(&borrowed.data, self.buffers.data.value());
        match (event_type, data) {
            (Some(event_type), Some(data)) => (event_type, data),
            _ => {
                self.state = State::Dispatched;
                let event_type = borrowed.event_type.unwrap_or(self.buffers.event_type.value());
                let data = borrowed.data.unwrap_or(self.buffers.data.value());
                self.buffers.repaired.repaired(event_type.bytes(), data.bytes())
            }
        }
    }

    /// The type of the finished block, if it is UTF-8.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn valid_type<'a>(&'a self, borrowed: &BorrowedFields<'a>) -> Option<&'a str> {
        valid_or(&borrowed.event_type, self.buffers.event_type.value())
    }

    /// The repaired type of the finished block.
    #[cold]
    pub(super) fn repaired_type(&mut self, borrowed: &BorrowedFields<'_>) -> &str {
        self.state = State::Dispatched;
        let event_type = borrowed.event_type.unwrap_or(self.buffers.event_type.value());
        let (event_type, _) = self.buffers.repaired.repaired(event_type.bytes(), &[]);
        // It is not needed any more, and copying the text takes memory.
        self.buffers.event_type = TextBuffer::default();
        event_type
    }

    /// The stored data of the finished block, owned, if it is UTF-8.
    pub(super) fn take_data(&mut self) -> Option<Data> {
        self.buffers.data.take()
    }

    /// The repaired data of the finished block.
    #[cold]
    pub(super) fn repaired_data(&self) -> Data {
        utf8::repaired(self.buffers.data.value().bytes()).into()
    }
}

/// The text of the value, or of `other` if there is none, if it is valid UTF-8.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
fn valid_or<'a>(value: &Option<Scanned<'a>>, other: Scanned<'a>) -> Option<&'a str> {
    match value {
        Some(value) => utf8::valid(*value),
        None => utf8::valid(other),
    }
}

/// The bytes after the first `count`, which are ASCII.
fn skip(piece: Scanned<'_>, count: usize) -> Scanned<'_> {
    match piece.text().and_then(|text| text.get(count..)) {
        Some(text) => Scanned::from(text),
        None => Scanned::from(piece.bytes().get(count..).unwrap_or_default()),
    }
}
