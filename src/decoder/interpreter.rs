//! Interprets lines as blocks and events: [interpreting an event stream].
//!
//! The lines of a block are read by the [`OpenBlock`]. At the blank line its ID becomes the last event ID. A block with
//! data is an event; one with any field is returned to callers who read blocks. [`FinishedBlock`] makes the results.
//!
//! A call tries its steps from the most common to the most general one. The order stands here once for blocks, and once
//! each for borrowed and owned events, whose results have to be made in place.
//!
//! [interpreting an event stream]: https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation

use super::{
    DecodeError, Eof, InvalidText, InvalidUtf8, Position,
    borrowed_fields::{AsciiFields, BorrowedFields},
    boundary::Boundary,
    comment_buffer::CommentBuffer,
    finished_block::FinishedBlock,
    form::{AsBorrowed, AsBoundary, AsOwned, Form},
    input::Input,
    last_event_id::LastEventId,
    line_check::LineCheck,
    open_block::{Next, OpenBlock},
    owned_data::OwnedData,
    progress::Progress,
    recent_type::RecentType,
    scope::{AllBlocks, Boundaries, EventsOnly, Scope},
    size::TooLarge,
    utf8,
};
use crate::{
    event::{Block, BlockItem, BlockItemRef, Event, EventRef, Label},
    line::{Field, LineSplitter, Part, Scanned, Walk},
};
use alloc::boxed::Box;
use bytes::Bytes;
use bytestring::ByteString;
use core::{mem, ops::Range, time::Duration};

/// Off for the tests of the general path alone (`.ci/long streams`).
const HAS_FAST_PATHS: bool = !cfg!(eventwire_general_path);

/// The fast paths that wasm does not have: they would add 2.6 KB, and there, code size matters more than a few
/// nanoseconds per event. Those that it has are for events of one data line, split or not.
const HAS_ALL_FAST_PATHS: bool = HAS_FAST_PATHS && !cfg!(target_family = "wasm");

#[derive(Clone, Debug)]
pub(super) struct Interpreter {
    splitter: LineSplitter,
    /// The bytes of the stream that have been decoded.
    bytes_read: u64,
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
            splitter: LineSplitter::new(),
            bytes_read: 0,
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

    pub(super) fn set_invalid_utf8(&mut self, invalid_utf8: InvalidUtf8) {
        self.utf8 = match invalid_utf8 {
            // The line that is open goes on being checked.
            InvalidUtf8::Stop if matches!(self.utf8, Utf8Rule::Stop(..)) => return,
            InvalidUtf8::Replace => Utf8Rule::Replace,
            InvalidUtf8::Reject => Utf8Rule::Reject,
            InvalidUtf8::Stop => {
                let line = if self.splitter.is_within_line() { LineCheck::after_open_line() } else { LineCheck::new() };
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

    /// Whether invalid UTF-8 is an error. Something of each block is then stored, so that the fast paths for a block of
    /// which nothing is stored leave it to the general path. The others check the setting.
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

    pub(super) fn bytes_read(&self) -> u64 {
        self.bytes_read
    }

    pub(super) fn position(&self) -> Position {
        if self.block.has_ended() {
            Position::Ended
        } else if !self.block.is_between() {
            Position::WithinBlock
        } else if !self.splitter.is_within_line() {
            Position::BetweenBlocks
        } else if self.block.is_comment() {
            Position::WithinComment
        } else {
            Position::WithinBlock
        }
    }

    pub(super) fn unfinished_data(&self) -> &[u8] {
        self.block.unfinished_data()
    }

    /// Whether the stream would be truncated here, which has not been reported yet.
    fn is_truncated(&self) -> bool {
        self.position() == Position::WithinBlock && !self.block.is_refused()
    }

    /// The steps of [`Decoder::decode`](super::Decoder::decode).
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn decode<'d, 'c: 'd>(&'d mut self, input: &mut &'c [u8]) -> Result<Option<EventRef<'d>>, DecodeError> {
        let mut walk = self.splitter.walk(input, &mut self.bytes_read);
        // These steps follow one another directly: an enum of their results would make this a sixth slower.
        if let Some((part, data)) = self.lone_line(&mut walk) {
            *input = self.leave(&walk);
            if part == Part::Line {
                return self.finished().plain_event(&AsciiFields::default(), data);
            }
            self.block.begin_lone_line(data);
            return Ok(None);
        }
        if self.take_continuation::<EventsOnly>(&mut walk) {
            *input = self.leave(&walk);
            return Ok(None);
        }
        if self.take_blank_line::<EventsOnly>(&mut walk) {
            *input = self.leave(&walk);
            return Ok(Some(self.finished().event(&BorrowedFields::default())));
        }
        let copy = walk;
        self.decode_lines(&copy, input)
    }

    /// The rest of [`decode`](Interpreter::decode): first the other fast paths, then the path for any line in any
    /// state.
    #[inline(never)]
    fn decode_lines<'d, 'c: 'd>(
        &'d mut self,
        walk: &Walk<'c>,
        input: &mut &'c [u8],
    ) -> Result<Option<EventRef<'d>>, DecodeError> {
        let mut walk = *walk;
        if self.take_label(&mut walk) {
            *input = self.leave(&walk);
            return Ok(None);
        }
        let mut plain = AsciiFields::default();
        if self.plain_lines(&mut walk, &mut plain) {
            *input = self.leave(&walk);
            return self.finished().plain_event(&plain, plain.finished_data());
        }
        if self.more_lines(&mut walk, &mut plain) {
            *input = self.leave(&walk);
            return Ok(None);
        }
        let mut borrowed = BorrowedFields::from(plain);
        let progress = self.read::<EventsOnly>(&mut walk, &mut borrowed);
        *input = self.leave(&walk);
        match progress {
            Progress::Block => Ok(Some(self.finished().event(&borrowed))),
            Progress::Error(error) => Err(error),
            _ => Ok(None),
        }
    }

    /// The steps of [`Decoder::decode_bytes`](super::Decoder::decode_bytes). The result is made as `T`.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn decode_bytes<T>(
        &mut self,
        input: impl Input,
        returned: impl Fn(Result<Option<Event>, DecodeError>) -> T,
    ) -> T {
        let chunk = input.chunk();
        let mut walk = self.splitter.walk(chunk, &mut self.bytes_read);
        if let Some((part, data)) = self.lone_line(&mut walk) {
            let taken = self.passed(chunk, &walk);
            if part == Part::Line {
                let data = OwnedData::value(data, chunk);
                #[expect(unsafe_code, reason = "the place of the data is not part of its type")]
                // SAFETY: the value of `data` is in the chunk of `input`, which the walk has read.
                return unsafe { self.own_from(input, taken, None, data, returned) };
            }
            self.block.begin_lone_line(data);
            input.use_up();
            return returned(Ok(None));
        }
        if self.take_continuation::<EventsOnly>(&mut walk) {
            self.leave(&walk);
            input.use_up();
            return returned(Ok(None));
        }
        // On wasm, this step would add 190 bytes to a page, gzipped.
        let is_event = HAS_ALL_FAST_PATHS && self.take_blank_line::<EventsOnly>(&mut walk);
        let passed = self.passed(chunk, &walk);
        if is_event {
            input.pass(passed);
            return self.finished().own_stored(&BorrowedFields::default(), returned);
        }
        self.decode_bytes_lines(input, passed, returned)
    }

    /// The rest of [`decode_bytes`](Interpreter::decode_bytes), after the first `passed` bytes.
    #[inline(never)]
    fn decode_bytes_lines<T>(
        &mut self,
        input: impl Input,
        passed: usize,
        returned: impl Fn(Result<Option<Event>, DecodeError>) -> T,
    ) -> T {
        let chunk = input.chunk();
        let rest = &chunk[passed..];
        let mut walk = self.splitter.walk(rest, &mut self.bytes_read);
        if self.take_label(&mut walk) {
            self.leave(&walk);
            input.use_up();
            return returned(Ok(None));
        }
        let mut plain = AsciiFields::default();
        if self.plain_lines(&mut walk, &mut plain) {
            let taken = passed + self.passed(rest, &walk);
            let event_type = self.finished().own_plain_type(&plain);
            let data = OwnedData::value(plain.finished_data(), chunk);
            #[expect(unsafe_code, reason = "the place of the data is not part of its type")]
            // SAFETY: the value of `data` is in the chunk of `input`, which the walk has read.
            return unsafe { self.own_from(input, taken, event_type, data, returned) };
        }
        if self.more_lines(&mut walk, &mut plain) {
            self.leave(&walk);
            input.use_up();
            return returned(Ok(None));
        }
        let mut borrowed = BorrowedFields::from(plain);
        let progress = self.read::<EventsOnly>(&mut walk, &mut borrowed);
        let taken = passed + self.passed(rest, &walk);
        match progress {
            Progress::Block => {
                if let Some(value) = borrowed.data {
                    let event_type = self.finished().own_type(&borrowed);
                    let data = OwnedData::value(value, chunk);
                    #[expect(unsafe_code, reason = "the place of the data is not part of its type")]
                    // SAFETY: the value of `data` is in the chunk of `input`, which the walk has read.
                    return unsafe { self.own_from(input, taken, event_type, data, returned) };
                }
                let event = self.finished().own_stored(&borrowed, returned);
                input.pass(taken);
                event
            }
            Progress::Error(error) => {
                input.pass(taken);
                returned(Err(error))
            }
            _ => {
                input.use_up();
                returned(Ok(None))
            }
        }
    }

    /// Returns the finished event with this type and data: the first `taken` bytes of `input`.
    ///
    /// Each kind of data has a separate path. If the paths joined again, the event would be copied, which takes as
    /// long as decoding it.
    ///
    /// # Safety
    ///
    /// `data` comes from [`OwnedData::value`], for a value in the chunk of `input`.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    #[expect(unsafe_code, reason = "the place of the data is not part of its type")]
    unsafe fn own_from<T>(
        &mut self,
        input: impl Input,
        taken: usize,
        event_type: Option<Label>,
        data: OwnedData,
        returned: impl Fn(Result<Option<Event>, DecodeError>) -> T,
    ) -> T {
        match data {
            OwnedData::Here(data) => {
                input.pass(taken);
                returned(Ok(Some(self.finished().own(event_type, data))))
            }
            OwnedData::InChunk(place) => {
                let data = input.take(taken, place);
                debug_assert!(str::from_utf8(&data).is_ok());
                // SAFETY: `OwnedData::value` has found the bytes at this place of the chunk to be valid, and
                // `Input::take` returns exactly these.
                let data = unsafe { ByteString::from_bytes_unchecked(data).into() };
                returned(Ok(Some(self.finished().own(event_type, data))))
            }
        }
    }

    /// Decodes the next block or comment in this form. The rest of the chunk is left in `input`.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn decode_block<'d, 'c: 'd, F: Form<'d, 'c>>(
        &'d mut self,
        input: &mut &'c [u8],
        form: F,
    ) -> Result<Option<F::Item>, DecodeError> {
        let walk = self.splitter.walk(input, &mut self.bytes_read);
        self.next_block(walk, input, form)
    }

    /// The steps of all methods for blocks, from a walk that has begun.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn next_block<'d, 'c: 'd, F: Form<'d, 'c>>(
        &'d mut self,
        mut walk: Walk<'c>,
        input: &mut &'c [u8],
        form: F,
    ) -> Result<Option<F::Item>, DecodeError> {
        if let Some((part, data)) = self.lone_line(&mut walk) {
            *input = self.leave(&walk);
            if part == Part::Line {
                return Ok(Some(form.plain_block(self.finished(), &AsciiFields::default(), data)));
            }
            self.begin_lone_line(data);
            return Ok(None);
        }
        if self.take_continuation::<F::Scope>(&mut walk) {
            *input = self.leave(&walk);
            return Ok(None);
        }
        if self.take_blank_line::<F::Scope>(&mut walk) {
            *input = self.leave(&walk);
            return Ok(Some(form.block(self.finished(), &BorrowedFields::default())));
        }
        self.other_block(walk, input, form)
    }

    /// The steps after these, which are also those of [`decode_chunk`](Interpreter::decode_chunk).
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn other_block<'d, 'c: 'd, F: Form<'d, 'c>>(
        &'d mut self,
        mut walk: Walk<'c>,
        input: &mut &'c [u8],
        form: F,
    ) -> Result<Option<F::Item>, DecodeError> {
        if let Some(text) = self.line_between::<F::Scope>(&mut walk) {
            *input = self.leave(&walk);
            return match text {
                Some(text) => self.comment(Some(Scanned::from(text)), form),
                None => Ok(form.blank_line()),
            };
        }
        // This is usually the call that ends a loop over a chunk.
        if walk.is_used_up() && self.is_drained() {
            *input = self.leave(&walk);
            return Ok(None);
        }
        self.forget_comment();
        let mut plain = AsciiFields::default();
        if self.plain_lines(&mut walk, &mut plain) {
            *input = self.leave(&walk);
            return Ok(Some(form.plain_block(self.finished(), &plain, plain.finished_data())));
        }
        if self.more_lines(&mut walk, &mut plain) {
            *input = self.leave(&walk);
            return Ok(None);
        }
        let mut borrowed = BorrowedFields::from(plain);
        let progress = self.read::<F::Scope>(&mut walk, &mut borrowed);
        *input = self.leave(&walk);
        match progress {
            Progress::Block => Ok(Some(form.block(self.finished(), &borrowed))),
            Progress::Comment(text) => self.comment(text, form),
            Progress::RefusedComment => Ok(form.refused_comment()),
            Progress::BlankLine => Ok(form.blank_line()),
            Progress::Retry(time) => Ok(Some(form.retry(time))),
            Progress::NeedsMore => Ok(None),
            Progress::Error(error) => Err(error),
        }
    }

    /// The same, owned. Data that stays in its chunk is added when nothing borrows from the chunk any more.
    pub(super) fn decode_block_bytes(&mut self, input: &mut Bytes) -> Result<Option<BlockItem>, DecodeError> {
        let chunk = &**input;
        let mut rest = chunk;
        let mut place = None;
        let mut item = self.decode_block(&mut rest, AsOwned { chunk, place: &mut place });
        let taken = chunk.len() - rest.len();
        match place {
            None => input.pass(taken),
            Some(place) => {
                let data = input.take(taken, place);
                debug_assert!(str::from_utf8(&data).is_ok());
                if let Ok(Some(BlockItem::Block(block))) = &mut item {
                    #[expect(unsafe_code, reason = "the bytes have been validated")]
                    // SAFETY: `AsOwned` sets `place` only for a value that the walk over this chunk has returned, which
                    // `OwnedData::value` has found to be valid, and `Input::take` returns exactly these bytes.
                    block.set_owned_data(unsafe { ByteString::from_bytes_unchecked(data).into() });
                }
            }
        }
        item
    }

    /// Decodes a complete chunk. Each item counts as read before `each` gets it, even if `each` panics.
    #[inline]
    pub(super) fn decode_chunk(&mut self, chunk: &[u8], mut each: impl FnMut(Result<BlockItemRef<'_>, DecodeError>)) {
        let mut walk = self.splitter.walk(chunk, &mut self.bytes_read);
        if walk.is_within_line() {
            if self.rest_of_comment(&mut walk) == Some(Part::Tail) {
                self.leave(&walk);
                each(Ok(BlockItemRef::Comment(self.comment.buffered())));
                self.comment.release(self.limit());
                self.go_on(&walk);
            } else if self.take_continuation::<AllBlocks>(&mut walk) {
                self.leave(&walk);
                return;
            }
        }
        if !self.block.is_empty() && self.take_blank_line::<AllBlocks>(&mut walk) {
            let rest = self.leave(&walk);
            each(Ok(BlockItemRef::Block(self.finished().block(&BorrowedFields::default()))));
            walk = self.splitter.walk(rest, &mut self.bytes_read);
        }
        loop {
            while let Some((part, data)) = self.lone_line(&mut walk) {
                let rest = self.leave(&walk);
                if part == Part::Head {
                    return self.begin_lone_line(data);
                }
                match utf8::valid(data) {
                    Some(text) => {
                        each(Ok(BlockItemRef::Block(self.finished().text_block(&AsciiFields::default(), text))));
                    }
                    None => self.pass_broken_block(data, &mut each),
                }
                walk = self.splitter.walk(rest, &mut self.bytes_read);
            }
            let at = walk.passed();
            while let Some((part, text)) = self.comment_between::<AllBlocks>(&mut walk) {
                if part == Part::Head {
                    self.begin_comment(text);
                    self.leave(&walk);
                    return;
                }
                self.leave(&walk);
                each(Ok(BlockItemRef::Comment(text)));
                self.go_on(&walk);
            }
            if walk.is_used_up() && self.is_drained() {
                self.leave(&walk);
                return;
            }
            if walk.passed() == at {
                let copy = walk;
                let Some(rest) = self.decode_chunk_lines(&copy, &mut each) else { return };
                walk = self.splitter.walk(rest, &mut self.bytes_read);
            }
        }
    }

    /// A separate function, so that `each` is not inlined once more.
    #[cold]
    fn pass_broken_block(&mut self, data: Scanned<'_>, each: &mut impl FnMut(Result<BlockItemRef<'_>, DecodeError>)) {
        each(Ok(BlockItemRef::Block(self.finished().plain_block(&AsciiFields::default(), data))));
    }

    /// Decodes what [`decode_chunk`](Interpreter::decode_chunk) leaves, up to what that reads faster. Returns the rest.
    #[inline(never)]
    fn decode_chunk_lines<'c>(
        &mut self,
        walk: &Walk<'c>,
        each: &mut impl FnMut(Result<BlockItemRef<'_>, DecodeError>),
    ) -> Option<&'c [u8]> {
        let mut walk = *walk;
        loop {
            if self.block.next() == Next::Begin {
                self.begin_block();
            }
            if self.take_continuation::<AllBlocks>(&mut walk) {
                self.leave(&walk);
                return None;
            }
            let mut rest: &[u8] = &[];
            match self.other_block(walk, &mut rest, AsBorrowed) {
                Ok(Some(item)) => each(Ok(item)),
                Ok(None) => return None,
                Err(error) => each(Err(error)),
            }
            match rest {
                [] if self.is_drained() => return None,
                [b'd' | b':' | b'\n', ..] => return Some(rest),
                _ => walk = self.splitter.walk(rest, &mut self.bytes_read),
            }
        }
    }

    /// Decodes up to the next boundary.
    #[inline]
    pub(super) fn decode_boundary<'d, 'c: 'd>(
        &'d mut self,
        input: &mut &'c [u8],
    ) -> Result<Option<Boundary<'d>>, DecodeError> {
        if self.begins_stream(input) {
            return Ok(Some(Boundary::Start));
        }
        self.decode_block(input, AsBoundary)
    }

    /// Decodes the plain blocks and comments at the start of a chunk that is read up to its boundaries: lone lines, and
    /// comments in ASCII. Calls `each` with each of them and its place in the chunk, up to one for which it returns
    /// `false`. Blank lines are passed.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn decode_plain(
        &mut self,
        chunk: &mut &[u8],
        mut each: impl FnMut(Range<usize>, BlockItemRef<'_>) -> bool,
    ) {
        let len = chunk.len();
        loop {
            let mut walk = self.splitter.walk(chunk, &mut self.bytes_read);
            // It may have passed an LF.
            *chunk = self.leave(&walk);
            let start = len - chunk.len();
            if let Some((part, data)) = self.lone_line(&mut walk) {
                let Some(text) = utf8::valid(data).filter(|_| part == Part::Line) else { return };
                *chunk = self.leave(&walk);
                let block = self.finished().text_block(&AsciiFields::default(), text);
                if !each(start..len - chunk.len(), BlockItemRef::Block(block)) {
                    return;
                }
                continue;
            }
            let mut goes_on = true;
            while goes_on && self.block.is_clear() && walk.pass_blank_lines() {
                let from = start + walk.passed();
                let Some((_, text)) = self.comment_between::<Boundaries>(&mut walk) else { break };
                goes_on = each(from..start + walk.passed(), BlockItemRef::Comment(text));
            }
            *chunk = self.leave(&walk);
            if !goes_on || walk.passed() == 0 {
                return;
            }
        }
    }

    /// Passes the byte order mark at the start of the stream. Returns whether the stream begins with this call.
    #[inline]
    fn begins_stream(&mut self, input: &mut &[u8]) -> bool {
        let len = input.len();
        let begins = self.splitter.pass_stream_start(input);
        self.bytes_read += (len - input.len()) as u64;
        begins
    }

    /// Ends a walk. Returns the bytes that it has not passed.
    #[inline(always)]
    fn leave<'c>(&mut self, walk: &Walk<'c>) -> &'c [u8] {
        self.bytes_read += walk.passed() as u64;
        self.splitter.leave(walk)
    }

    /// Continues a walk after [`leave`](Interpreter::leave), which was called so that an item counts as read if the
    /// caller's function panics.
    #[inline(always)]
    fn go_on(&mut self, walk: &Walk<'_>) {
        self.bytes_read -= walk.passed() as u64;
    }

    /// Ends a walk over `chunk`. Returns how many bytes of it have been passed.
    #[inline(always)]
    fn passed(&mut self, chunk: &[u8], walk: &Walk<'_>) -> usize {
        chunk.len() - self.leave(walk).len()
    }

    /// Whether nothing is left to do for what has been read: no block is refused, and no comment is buffered.
    #[inline(always)]
    fn is_drained(&self) -> bool {
        !self.block.is_refused() && self.comment.is_empty()
    }

    /// See [`OpenBlock::lone_line`].
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn lone_line<'c>(&mut self, walk: &mut Walk<'c>) -> Option<(Part, Scanned<'c>)> {
        if !HAS_FAST_PATHS {
            return None;
        }
        if self.block.next() == Next::Begin {
            self.begin_block();
        }
        self.block.lone_line(walk)
    }

    /// Reads the beginning of most other chunks: the rest of an open line, and then, but not on wasm, comments if the
    /// caller ignores them. Returns whether the chunk is used up.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn take_continuation<S: Scope>(&mut self, walk: &mut Walk<'_>) -> bool {
        if !HAS_FAST_PATHS {
            return false;
        }
        if self.goes_on_unchecked(walk) && self.block.rest_of_line::<S>(walk) {
            return true;
        }
        if HAS_ALL_FAST_PATHS {
            self.skips_comments::<S>() && self.block.pass_comments(walk)
        } else {
            // Of a block that is too large, nothing is returned to a caller who reads events alone.
            !S::HAS_ALL && walk.is_used_up()
        }
    }

    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn skips_comments<S: Scope>(&self) -> bool {
        !S::HAS_ALL || !S::HAS_BOUNDARIES && !self.returns_comments
    }

    /// Reads the rest of an open line with a type or an ID. Returns whether the chunk is used up.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn take_label(&mut self, walk: &mut Walk<'_>) -> bool {
        HAS_ALL_FAST_PATHS && self.goes_on_unchecked(walk) && self.block.rest_of_label(walk)
    }

    /// Whether the walk begins inside a line that need not be checked by [`InvalidUtf8::Stop`].
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn goes_on_unchecked(&self, walk: &Walk<'_>) -> bool {
        walk.is_within_line() && !matches!(self.utf8, Utf8Rule::Stop(..))
    }

    /// Reads the blank line of a stored block. Returns whether it completes what the caller reads.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn take_blank_line<S: Scope>(&mut self, walk: &mut Walk<'_>) -> bool {
        HAS_FAST_PATHS
            && !S::HAS_BOUNDARIES
            && !self.is_strict()
            && (!S::HAS_ALL || self.comment.is_empty())
            && self.block.blank_line(walk)
            && self.dispatch_stored::<S>(None, false)
    }

    /// Reads more of a comment that is buffered. Returns which part of its line it is.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn rest_of_comment(&mut self, walk: &mut Walk<'_>) -> Option<Part> {
        if !HAS_ALL_FAST_PATHS || !self.block.is_buffered_comment() || self.is_strict() {
            return None;
        }
        let limit = self.limit();
        // The line end counts as well.
        let (part, text) = walk.rest_of_line(|| limit.checked_sub(self.comment.len() + 1))?;
        self.comment.push(text, limit);
        if part == Part::Tail {
            self.block.end_comment();
        }
        Some(part)
    }

    /// Reads the next comment between two blocks, and the blank lines before it. Returns its text, or all of its line
    /// that the chunk contains if it continues beyond the chunk. Such a comment is left if the caller reads boundaries.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn comment_between<'c, S: Scope>(&mut self, walk: &mut Walk<'c>) -> Option<(Part, &'c str)> {
        let is_returned = S::HAS_BOUNDARIES || self.returns_comments;
        if !HAS_ALL_FAST_PATHS || !is_returned || !self.block.is_clear() || !walk.pass_blank_lines() {
            return None;
        }
        let (limit, mut comment) = (self.limit(), None);
        walk.ascii_part_if(|part, line| {
            // The line end counts as well.
            let fits = line.len() + usize::from(part == Part::Line) <= limit;
            let fits = fits && (part == Part::Line || !S::HAS_BOUNDARIES);
            comment = line.strip_prefix(':').filter(|_| fits).map(|text| match part {
                Part::Line => (part, text.strip_prefix(' ').unwrap_or(text)),
                _ => (part, line),
            });
            comment.is_some()
        });
        comment
    }

    /// Begins a comment that continues beyond the chunk.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn begin_comment(&mut self, head: &str) {
        let limit = self.limit();
        self.comment.begin(head, limit);
        self.block.begin_comment();
    }

    /// See [`OpenBlock::begin_lone_line`].
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn begin_lone_line(&mut self, head: Scanned<'_>) {
        self.forget_comment();
        self.block.begin_lone_line(head);
    }

    /// See [`OpenBlock::line_between`]. Blank lines are only returned to callers who read boundaries.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn line_between<'c, S: Scope>(&mut self, walk: &mut Walk<'c>) -> Option<Option<&'c str>> {
        let mut comment_follows = || self.returns_comments && self.block.is_clear() && walk.pass_blank_lines();
        if HAS_ALL_FAST_PATHS && (S::HAS_BOUNDARIES || comment_follows()) {
            self.block.line_between(walk)
        } else {
            None
        }
    }

    /// See [`OpenBlock::plain_lines`].
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn plain_lines<'c>(&mut self, walk: &mut Walk<'c>, plain: &mut AsciiFields<'c>) -> bool {
        let is_event = HAS_ALL_FAST_PATHS && self.block.plain_lines(walk, plain);
        if is_event && let Some(id) = plain.id {
            self.last_event_id.get_or_insert_default().set(id);
        }
        is_event
    }

    /// See [`OpenBlock::more_lines`].
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn more_lines(&mut self, walk: &mut Walk<'_>, plain: &mut AsciiFields<'_>) -> bool {
        HAS_ALL_FAST_PATHS && !self.is_strict() && self.block.more_lines(walk, plain)
    }

    /// Reads lines up to the blank one that completes an event or a block, or to the end of the chunk.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn read<'c, S: Scope>(&mut self, walk: &mut Walk<'c>, borrowed: &mut BorrowedFields<'c>) -> Progress<'c> {
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
    fn interpret<'c, S: Scope>(&mut self, walk: &mut Walk<'c>, borrowed: &mut BorrowedFields<'c>) -> Progress<'c> {
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
        borrowed: &mut BorrowedFields<'c>,
    ) -> Outcome<'c> {
        if self.block.is_refused() {
            return Ok(self.skip::<S>(part, text));
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
    fn skip<'c, S: Scope>(&mut self, part: Part, text: Scanned<'c>) -> Option<Progress<'c>> {
        match if S::HAS_ALL {
            self.comment_part::<S>(part, text, &mut BorrowedFields::default())
        } else {
            CommentPart::Not
        } {
            CommentPart::Ended(comment) => return Some(comment),
            CommentPart::Open => return None,
            CommentPart::Not => self.abandon_comment(part),
        }
        if part == Part::Line && text.bytes().is_empty() {
            self.begin_block();
            return S::HAS_BOUNDARIES.then_some(Progress::BlankLine);
        }
        None
    }

    /// Reads a part of a line that crosses a chunk boundary.
    #[inline]
    fn part<S: Scope>(
        &mut self,
        part: Part,
        text: Scanned<'_>,
        borrowed: &mut BorrowedFields<'_>,
    ) -> Result<(), TooLarge> {
        self.abandon_comment(part);
        if S::HAS_BOUNDARIES {
            self.block.counted_part(part, text, borrowed)
        } else {
            self.block.part(part, text, borrowed)
        }
    }

    /// Skips the rest of a comment that a call that reads comments has begun, and one that does not continues.
    #[inline]
    fn abandon_comment(&mut self, part: Part) {
        if part != Part::Head && self.block.is_buffered_comment() {
            self.block.skip_comment();
            self.comment.release(self.limit());
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
    fn check_block(&mut self, borrowed: &mut BorrowedFields<'_>) -> Result<(), DecodeError> {
        if matches!(self.utf8, Utf8Rule::Reject) { self.check_values(borrowed) } else { Ok(()) }
    }

    #[cold]
    fn check_values(&mut self, borrowed: &mut BorrowedFields<'_>) -> Result<(), DecodeError> {
        self.block.check_utf8(borrowed).inspect_err(|_| {
            *borrowed = BorrowedFields::default();
            self.block.take_retry();
            self.begin_block();
        })
    }

    /// Ends the block at its blank line: its ID takes effect. Returns whether it has what the caller reads: data, or
    /// any field.
    ///
    /// Its text stays in place until [`begin_block`](Interpreter::begin_block).
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn dispatch<S: Scope>(&mut self, borrowed: &mut BorrowedFields<'_>) -> bool {
        let id = borrowed.id;
        let valid_id = id.and_then(utf8::valid);
        let has_borrowed = borrowed.data.is_some() || S::HAS_ALL && (borrowed.event_type.is_some() || id.is_some());
        let is_returned = if !self.block.is_empty() || id.is_some() != valid_id.is_some() {
            self.dispatch_stored::<S>(id, has_borrowed)
        } else {
            // Nothing is stored, so the size is all that the block leaves.
            self.block.clear_size();
            if let Some(id) = valid_id {
                self.last_event_id.get_or_insert_default().set(id);
            }
            has_borrowed
        };
        if !is_returned {
            *borrowed = BorrowedFields::default();
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

    /// Reads a line, or a part of one, if it belongs to a comment.
    fn comment_part<'c, S: Scope>(
        &mut self,
        part: Part,
        text: Scanned<'c>,
        borrowed: &mut BorrowedFields<'_>,
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
                self.continue_comment(part, text)
            }
            Part::Middle | Part::Tail if self.block.is_buffered_comment() => self.continue_comment(part, text),
            Part::Middle if S::HAS_BOUNDARIES && self.block.is_skipped_comment() => CommentPart::Open,
            Part::Tail if S::HAS_BOUNDARIES && self.block.is_skipped_comment() => {
                self.block.end_comment();
                CommentPart::Ended(Progress::RefusedComment)
            }
            _ => CommentPart::Not,
        }
    }

    fn continue_comment<'c>(&mut self, part: Part, text: Scanned<'_>) -> CommentPart<'c> {
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

    /// What happens to the comment inside which the bytes so far end, if any.
    #[inline]
    pub(super) fn open_comment(&self) -> Option<OpenComment> {
        if !self.splitter.is_within_line() {
            None
        } else if self.block.is_buffered_comment() {
            Some(OpenComment::Buffered)
        } else if self.block.is_skipped_comment() {
            Some(OpenComment::Skipped)
        } else {
            None
        }
    }

    /// Drops the comment that was returned last.
    #[inline]
    fn forget_comment(&mut self) {
        if !self.comment.is_empty() && !self.block.is_buffered_comment() {
            self.comment.release(self.limit());
        }
    }

    /// Returns a comment: its text if it is in the chunk, otherwise it is buffered.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn comment<'d, 'c: 'd, F: Form<'d, 'c>>(
        &'d mut self,
        text: Option<Scanned<'c>>,
        form: F,
    ) -> Result<Option<F::Item>, DecodeError> {
        self.check_comment(text)?;
        Ok(Some(form.comment(&mut self.comment, text)))
    }

    fn check_comment(&self, text: Option<Scanned<'_>>) -> Result<(), DecodeError> {
        if matches!(self.utf8, Utf8Rule::Reject) {
            InvalidText::check(Field::Comment, self.comment.value(text))?;
        }
        Ok(())
    }

    /// The block that is finished, of which the result is made.
    #[inline(always)]
    fn finished(&mut self) -> FinishedBlock<'_> {
        FinishedBlock::new(&mut self.block, &mut self.last_event_id, &mut self.recent_type)
    }

    /// Ends the stream, and handles its unfinished rest.
    pub(super) fn finish(&mut self, eof: Eof) -> Result<Option<Event>, DecodeError> {
        self.forget_comment();
        let outcome = match eof {
            Eof::Dispatch => self.dispatch_unfinished::<EventsOnly>().and_then(|is_event| match is_event {
                true => self.finished().own_stored(&BorrowedFields::default(), |outcome| outcome),
                false => Ok(None),
            }),
            Eof::Error if self.is_truncated() => Err(DecodeError::Truncated),
            Eof::Error | Eof::Discard => Ok(None),
        };
        self.reset();
        outcome
    }

    /// Ends the stream, and returns the next item of its unfinished rest. Resets the interpreter if nothing is left.
    pub(super) fn finish_block(&mut self, eof: Eof) -> Result<Option<BlockItem>, DecodeError> {
        self.forget_comment();
        if let Some(time) = self.take_refused_retry() {
            return Ok(Some(BlockItem::Block(Block::default().with_retry(time))));
        }
        match eof {
            Eof::Dispatch if self.open_comment() == Some(OpenComment::Buffered) => {
                self.end_last_line()?;
                self.block.end_comment();
                self.check_comment(None)?;
                return Ok(Some(BlockItem::Comment(self.comment.comment(None))));
            }
            Eof::Dispatch => {
                if self.dispatch_unfinished::<AllBlocks>()? {
                    return Ok(Some(BlockItem::Block(self.finished().own_block(&BorrowedFields::default(), None))));
                }
            }
            Eof::Error if self.is_truncated() => {
                self.splitter = LineSplitter::new();
                self.discard();
                return Err(DecodeError::Truncated);
            }
            Eof::Error | Eof::Discard => {}
        }
        self.reset();
        Ok(None)
    }

    /// The same after [`decode_boundary`](Interpreter::decode_boundary).
    pub(super) fn finish_boundary(&mut self, eof: Eof) -> Result<Option<BlockItem>, DecodeError> {
        if eof == Eof::Dispatch {
            // All of the open line has been counted, so its end counts nothing.
            self.block.clear_size();
        }
        self.finish_block(eof)
    }

    /// Ends the line and the block in which the stream ends. Returns whether there is an event, or a block. All of it
    /// is then stored.
    fn dispatch_unfinished<S: Scope>(&mut self) -> Result<bool, DecodeError> {
        let is_within_line = self.end_last_line()?;
        if self.block.next() != Next::Read {
            return Ok(false);
        }
        if is_within_line && self.block.end_line_at_eof().is_err() {
            self.refuse_block::<S>();
            return Err(DecodeError::EventTooLarge { limit: self.limit() });
        }
        self.check_block(&mut BorrowedFields::default())?;
        Ok(self.dispatch_stored::<S>(None, false))
    }

    /// Ends the line in which the stream ends, and checks it. Returns whether there is one.
    fn end_last_line(&mut self) -> Result<bool, DecodeError> {
        let ended = mem::take(&mut self.splitter);
        if ended.is_within_line()
            && let Utf8Rule::Stop(check, _) = self.utf8
        {
            check(self, Part::Tail, Scanned::from(ended.unreturned()), &Ok(None))?;
        }
        Ok(ended.is_within_line())
    }

    /// Makes the interpreter ready for the next stream.
    pub(super) fn reset(&mut self) {
        self.splitter = LineSplitter::new();
        self.bytes_read = 0;
        self.discard();
    }

    /// Discards what is unfinished, except a reconnection time, which has taken effect.
    fn discard(&mut self) {
        if let Utf8Rule::Stop(_, line) = &mut self.utf8 {
            **line = LineCheck::new();
        }
        self.block.end_comment();
        self.comment.release(self.limit());
        self.begin_block();
    }
}
