//! How bytes become blocks, as [section 9.2.6] of the standard describes it.
//!
//! # The grammar and the steps
//!
//! A stream is an optional byte order mark and lines, which end with CR LF, LF or CR. A line is one of three:
//!
//! * A blank line ends the block: the ID takes effect, and if there is data, the block is an event.
//! * A line that begins with a colon is a comment.
//! * Any other line is a field: a name, and after the first colon, without one space, a value. `data` lines are joined
//!   by LF, the last `event` and the last `id` count (an ID with a NUL does not), `retry` takes effect at once if it
//!   consists of digits, and a field of any other name is ignored.
//!
//! A line is always contiguous when it is interpreted: a slice of its chunk, or the bytes that were carried. Only data
//! and digits are taken as they arrive. Names and values are told apart in [`Field::parse`]. What a line does stands in
//! [`Reader::read_chunk`] for slices; and for what is stored in [`Reader::process_line`], or if it arrives in pieces in
//! [`Reader::begin_line`], [`Reader::push`] and [`Reader::end_line`], and for the blank line in [`Reader::end_block`].
//!
//! # What crosses the end of a chunk
//!
//! These three do, and [`Crosses`] says in one byte whether any of them is there. If lines are
//! [checked](LineCheck), the check of the open line does too.
//!
//! 1. The edge: inside the byte order mark, after a CR, or neither.
//! 2. The [unfinished line](OpenLine). Its bytes are carried as long as they may matter. The value of a data line goes
//!    straight into the data buffer, so a large event is copied once. A number is read digit by digit. Other lines are
//!    skipped.
//! 3. The [open block](OpenBlock): the buffers for data, type and ID, and the counted size.
//!
//! | `crosses` | the open line | the block |
//! |---|---|---|
//! | `Nothing`, `Lf` | none | empty, without large memory |
//! | `Stored`, `StoredAndLf` | any, or none | any |
//! | `StreamStart` | none, or `Name` with a part of the mark | empty |
//! | `Ended` | none | empty |
//!
//! # The two loops and the shortcut
//!
//! The first loop, [`Reader::read_chunk`], reads a block that begins in this chunk. Its values are slices of the chunk,
//! in local variables. They are stored if the chunk ends first, and before anything rare: a second data line, `retry`,
//! an ID with a NUL, invalid UTF-8, a block or a comment that is too large, and a comment inside a block, if comments
//! are read. The second loop, [`Reader::read_stored`], then reads on, into the buffers, until an item is returned or
//! the chunk ends. It can read any block.
//! [`Stops::data_event`] is tried before: one line of data and a blank line, which is the most common event, without
//! the loop.
//!
//! To add a field, add it to [`Field`], to [`Fields`] and [`OpenBlock`], to the names of an invalid line in `utf8.rs`,
//! to each `match` of a field in this file, and to what the methods of the decoder return. If its name has more than
//! five bytes, [`LONGEST_PREFIX`] grows.
//!
//! [section 9.2.6]: https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation

use super::{
    buffer::Buffer,
    end::Position,
    error::DecodeError,
    open_block::{BlockState, Fields, LARGEST_KEPT, OpenBlock},
    utf8::{LineCheck, valid},
};
use crate::{
    event::LastEventId,
    line::{BYTE_ORDER_MARK, Field, Scanned, Stops},
};
use alloc::{boxed::Box, vec::Vec};
use core::{mem, time::Duration};

/// This many bytes of a line determine its field and where its value begins: `retry`, a colon and a space.
const LONGEST_PREFIX: usize = 7;

/// So many bytes of the lines that are no fields are kept.
const MAX_IGNORED: usize = 1024;

/// Reads blocks from a stream that arrives in chunks.
#[derive(Clone, Debug, Default)]
pub(super) struct Reader {
    pub(super) crosses: Crosses,
    open: OpenLine,
    /// The bytes of the stream that have been consumed.
    pub(super) bytes_read: u64,
    pub(super) block: OpenBlock,
    /// The bytes that are carried of the open line, or the comment that was returned last.
    pub(super) line: Buffer,
    /// `None` until the stream sets one. An empty ID is one as well: the stream has then cleared it.
    ///
    /// An ID that the caller sets stays until the stream sets another. Read literally, section 9.2.6 of the standard
    /// begins each stream with an empty ID buffer and copies it at the first blank line. Every reconnection would then
    /// lose the ID that the client sent, and no browser does that.
    pub(super) last_event_id: Option<LastEventId>,
    pub(super) reconnection_time: Option<Duration>,
    /// For [`Utf8Policy::Stop`](super::Utf8Policy::Stop).
    check: Option<Box<LineCheck>>,
    /// The beginning of the lines that are no fields, each with an LF.
    pub(super) ignored: Vec<u8>,
}

/// What crosses from one call to the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Crosses {
    /// Nothing: the next byte begins a line and a block. (After a comment that is skipped, it may be the LF of its CR,
    /// which is read as a blank line without effect.)
    Nothing,
    /// Only an LF, if it comes next: it belongs to the CR before it.
    Lf,
    /// What is stored of a line or a block.
    Stored,
    /// What is stored of a block, and an LF.
    StoredAndLf,
    /// The stream has not begun, or only with a part of a byte order mark, which is carried.
    #[default]
    StreamStart,
    /// The stream has ended early, because of an invalid line. The rest of it is skipped.
    Ended,
}

/// The line inside which the bytes so far end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum OpenLine {
    /// The next byte begins a line.
    #[default]
    None,
    /// Its bytes are carried, and are not enough yet to know its field.
    Name,
    /// It is carried: a type, an ID, or a comment that is read.
    Carried(Field),
    /// It is a data line, whose value goes into the data buffer.
    Data,
    /// It is a reconnection time, of which these digits have been read.
    Retry(Digits),
    /// The rest of it has no effect.
    Skipped(Field),
}

/// What the caller reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reads {
    Events,
    Blocks,
    BlocksAndComments,
}

/// What has been found in a chunk.
pub(super) enum Found<'c> {
    /// An event that has only data. As a `Block`, a short one took 10 % more instructions.
    Data(&'c str),
    /// A block whose values are in the chunk.
    Block(Fields<'c>),
    /// A comment in the chunk.
    Comment(&'c str),
    Stored(Stored),
}

/// What has been found with the help of what is stored, or is not in the chunk.
///
/// It is small, so that it is returned in registers.
pub(super) enum Stored {
    /// The end of the chunk.
    NeedsMore,
    /// The open block.
    Block,
    /// The carried line, which is a comment.
    Comment,
    /// The reconnection time of a block that is too large. It has taken effect, so it is returned after the error.
    Retry,
    Error(DecodeError),
}

impl Reader {
    /// Reads up to what the caller reads next. Returns it, and the rest of the chunk.
    ///
    /// It is inlined into the methods of the decoder, which spares them to move the values of a block.
    #[inline(always)]
    pub(super) fn read<'c>(&mut self, chunk: &'c [u8], reads: Reads) -> (Found<'c>, &'c [u8]) {
        let mut chunk = chunk;
        match (self.crosses, chunk) {
            (Crosses::Nothing, _) => {}
            (Crosses::Lf, [b'\n', rest @ ..]) => {
                self.bytes_read += 1;
                chunk = rest;
            }
            (Crosses::Lf, [_, ..]) => {}
            (Crosses::Lf, []) => return (Found::Stored(Stored::NeedsMore), chunk),
            _ => {
                let begin = self.bytes_read;
                let stored = match self.open {
                    OpenLine::Data if self.check.is_none() => self.read_data(chunk, reads),
                    _ => self.begin_call(chunk, reads),
                };
                let stored = match stored {
                    None if self.crosses != Crosses::Nothing => {
                        Some(self.read_stored(chunk, self.passed(begin), reads))
                    }
                    stored => stored,
                };
                chunk = chunk.get(self.passed(begin)..).unwrap_or_default();
                if let Some(stored) = stored {
                    return (Found::Stored(stored), chunk);
                }
            }
        }
        let mut stops = Stops::new(chunk, 0);
        if let Some(data) = stops.data_event(self.block.limit) {
            if let Some(text) = valid(data) {
                return (Found::Data(text), self.leave(&stops));
            }
            stops = Stops::new(chunk, 0);
        }
        self.read_chunk(chunk, stops, reads)
    }

    /// The first loop: the lines of a block that begins in this chunk.
    #[inline(always)]
    fn read_chunk<'c>(&mut self, chunk: &'c [u8], mut stops: Stops<'c>, reads: Reads) -> (Found<'c>, &'c [u8]) {
        let (mut fields, mut size) = (Fields::default(), 0);
        let line = loop {
            let (line, is_end) = stops.next();
            if !is_end {
                let rest = self.leave(&stops);
                let is_within = size + line.len() > 0;
                let stored = if is_within { self.store_part(fields, size, line, reads) } else { Stored::NeedsMore };
                return (Found::Stored(stored), rest);
            }
            if line.len() == 0 {
                if let Some(id) = fields.id {
                    self.last_event_id.get_or_insert_default().set(id);
                }
                if fields.data.is_some() || size > 0 && reads != Reads::Events {
                    return (Found::Block(fields), self.leave(&stops));
                }
                (fields, size) = (Fields::default(), 0);
                continue;
            }
            if self.check.is_some() && valid(line).is_none() {
                break line;
            }
            let (field, value) = line.field();
            let with_line = size + line.len() + 1;
            let fits = with_line <= self.block.limit;
            let set = |text: &mut Option<_>| {
                *text = valid(value);
                text.is_some()
            };
            let is_set = match field {
                Field::Data => fits && fields.data.is_none() && set(&mut fields.data),
                Field::EventType => fits && set(&mut fields.event_type),
                Field::Id => fits && !value.has_nul() && set(&mut fields.id),
                Field::Comment if reads != Reads::BlocksAndComments => {
                    // The blank line after a keep-alive ends no block, and the LF of a CR LF is passed in any case.
                    if size == 0 {
                        stops.pass_lf();
                    }
                    continue;
                }
                Field::Comment => match valid(value) {
                    Some(text) if fits && size == 0 => return (Found::Comment(text), self.leave(&stops)),
                    _ => false,
                },
                Field::Other => {
                    ignore(&mut self.ignored, line.bytes(), true);
                    continue;
                }
                Field::Retry => false,
            };
            if !is_set {
                break line;
            }
            size = with_line;
        };
        // The line is read again.
        let begin = self.bytes_read;
        let stored = self.store(fields, size, chunk, stops.at() - line.len() - 1, reads);
        (Found::Stored(stored), chunk.get(self.passed(begin)..).unwrap_or_default())
    }

    /// Ends a call at the end of a line, with nothing stored. Returns the rest of the chunk.
    #[inline(always)]
    fn leave<'c>(&mut self, stops: &Stops<'c>) -> &'c [u8] {
        self.bytes_read += stops.at() as u64;
        self.crosses = if stops.is_after_cr() { Crosses::Lf } else { Crosses::Nothing };
        stops.rest()
    }

    /// Stores what the first loop has read of a block, and goes on at this line in the second loop.
    #[inline(never)]
    fn store(&mut self, fields: Fields<'_>, size: usize, chunk: &[u8], at: usize, reads: Reads) -> Stored {
        self.block.store(&fields, size);
        self.bytes_read += at as u64;
        self.read_stored(chunk, at, reads)
    }

    /// Stores what the first loop has read of a block, and this part of a line, with which the chunk ends.
    #[inline(never)]
    fn store_part(&mut self, fields: Fields<'_>, size: usize, part: Scanned<'_>, reads: Reads) -> Stored {
        if size > 0 {
            self.block.store(&fields, size);
        }
        self.crosses = if self.crosses == Crosses::Lf { Crosses::StoredAndLf } else { Crosses::Stored };
        if let Some(check) = &mut self.check {
            check.push(part);
        }
        self.push(part, reads).unwrap_or(Stored::NeedsMore)
    }

    /// Reads a piece of a data line, and the blank line that follows most of them. Returns `None` if anything else
    /// follows. It also does, and reads nothing, if the line is too large: the second loop counts it again, and refuses
    /// it.
    #[inline(always)]
    fn read_data(&mut self, chunk: &[u8], reads: Reads) -> Option<Stored> {
        let mut stops = Stops::new(chunk, 0);
        let (piece, is_end) = stops.next();
        if !self.block.count(piece.len() + usize::from(is_end)) {
            return None;
        }
        self.block.data.push(piece, self.block.limit);
        self.bytes_read += stops.at() as u64;
        if !is_end {
            return Some(Stored::NeedsMore);
        }
        self.open = OpenLine::None;
        if stops.is_after_cr() || stops.rest().first() != Some(&b'\n') {
            return None;
        }
        self.bytes_read += 1;
        self.end_block(reads)
    }

    /// Drops what was returned, and passes what comes before the next line, or before more of the open one: a byte
    /// order mark, the LF of a CR LF, or the rest of a comment that is skipped. If it returns `Some`, the call ends.
    #[inline(never)]
    fn begin_call(&mut self, chunk: &[u8], reads: Reads) -> Option<Stored> {
        self.drop_returned();
        if self.has_refused_retry(reads) {
            return Some(Stored::Retry);
        }
        let passed = match (self.crosses, chunk) {
            (Crosses::Ended, _) | (_, []) => None,
            (Crosses::StreamStart, _) => self.begin_stream(chunk, reads),
            (Crosses::StoredAndLf, [b'\n', ..]) => Some(1),
            // The end of a comment, without the second loop, so that the first one can go on. If no block is open, an
            // LF after its CR is read as a blank line, which has no effect.
            _ if self.open == OpenLine::Skipped(Field::Comment) && self.check.is_none() => {
                let end = memchr::memchr2(b'\n', b'\r', chunk);
                self.open = if end.is_some() { OpenLine::None } else { self.open };
                Some(end.map_or(0, |end| end + 1))
            }
            _ => Some(0),
        };
        self.bytes_read += passed.unwrap_or(chunk.len()) as u64;
        if passed.is_none() {
            return Some(Stored::NeedsMore);
        }
        // With large memory, the block is stored, so that the memory is released if enough blocks do not need it.
        let is_stored = self.open != OpenLine::None || !self.block.is_empty() || self.block.capacity() > LARGEST_KEPT;
        self.crosses = if is_stored { Crosses::Stored } else { Crosses::Nothing };
        None
    }

    /// Consumes a byte order mark, if the stream begins with one. Returns how many bytes of the chunk belong to it, or
    /// `None` if the chunk ends before that is known.
    #[cold]
    fn begin_stream(&mut self, chunk: &[u8], reads: Reads) -> Option<usize> {
        self.ignored.clear();
        let missing = BYTE_ORDER_MARK.get(self.line.len()..).unwrap_or_default();
        let matching = chunk.iter().zip(missing).take_while(|(byte, expected)| byte == expected).count();
        if matching == missing.len() {
            self.discard();
            return Some(matching);
        }
        if matching == chunk.len() {
            self.process_piece(Scanned::from(chunk), false, reads);
            return None;
        }
        // What is carried begins a line.
        Some(0)
    }

    /// The second loop: the lines of a block into the buffers. It begins at the start of a line, or within the open
    /// one.
    #[inline(never)]
    fn read_stored(&mut self, chunk: &[u8], begin: usize, reads: Reads) -> Stored {
        let mut stops = Stops::new(chunk, begin);
        let (stored, at) = loop {
            let (piece, is_end) = stops.next();
            let stored = match self.open {
                _ if self.check.is_some() => self.process_piece(piece, is_end, reads),
                OpenLine::None if is_end && piece.len() == 0 => self.end_block(reads),
                OpenLine::None if is_end => self.process_line(piece, piece.len() + 1, reads),
                _ => self.process_piece(piece, is_end, reads),
            };
            match stored {
                // A line end that is read again: see `process_piece`.
                Some(stored) if is_end && self.open != OpenLine::None => break (stored, stops.at() - 1),
                Some(stored) => break (stored, stops.at()),
                None if is_end => {}
                None => break (Stored::NeedsMore, stops.at()),
            }
        };
        self.bytes_read += (at - begin) as u64;
        self.crosses = match chunk.get(at.wrapping_sub(1)) {
            _ if self.crosses == Crosses::Ended => Crosses::Ended,
            Some(b'\r') => Crosses::StoredAndLf,
            _ => Crosses::Stored,
        };
        stored
    }

    /// Processes a piece of a line that is in several chunks, or of any line if lines are checked.
    ///
    /// If a line makes something too large, its end is read again, with nothing else of it. If it is not UTF-8 either,
    /// that error follows. So the errors do not depend on how the line is split.
    #[inline(never)]
    fn process_piece(&mut self, piece: Scanned<'_>, is_end: bool, reads: Reads) -> Option<Stored> {
        if let Some(check) = &mut self.check {
            check.push(piece);
        }
        let refused = self.push(piece, reads);
        if !is_end || refused.is_some() {
            return refused;
        }
        let field = self.open_field();
        match self.end_line(1, reads) {
            Some(Stored::Error(error)) => Some(Stored::Error(error)),
            stored => self.end_check(field).or(stored),
        }
    }

    /// Adds a piece to the open line, or begins one. Returns an error if it makes something too large.
    fn push(&mut self, piece: Scanned<'_>, reads: Reads) -> Option<Stored> {
        let limit = self.block.limit;
        match self.open {
            OpenLine::Data if !self.block.count(piece.len()) => return Some(self.refuse(Field::Data, reads)),
            OpenLine::Data => self.block.data.push(piece, limit),
            OpenLine::None | OpenLine::Name => {
                let carried = self.line.len();
                if carried == 0 && (piece.len() >= LONGEST_PREFIX || piece.bytes().starts_with(b":")) {
                    return self.begin_line(piece, reads);
                }
                if piece.len() == 0 {
                    return None;
                }
                self.open = OpenLine::Name;
                let (head, rest) = piece.split_at(LONGEST_PREFIX - carried);
                self.line.push(head, LONGEST_PREFIX);
                if let Some(head) = self.line.bytes().first_chunk::<LONGEST_PREFIX>().copied() {
                    self.line.clear();
                    let refused = self.begin_line(Scanned::from(&head[..]), reads);
                    return refused.or_else(|| self.push(rest, reads));
                }
                // A name counts as soon as its colon shows that it is one.
                let (field, line) = (self.open_field(), self.line.bytes());
                let counts = matches!(field, Field::Data | Field::EventType | Field::Id) && line.contains(&b':');
                if counts && self.block.state == BlockState::Open && line.len() > limit.saturating_sub(self.block.size)
                {
                    return Some(self.refuse(field, reads));
                }
            }
            OpenLine::Carried(Field::Comment) if reads != Reads::BlocksAndComments => {
                self.line.release();
                self.open = OpenLine::Skipped(Field::Comment);
            }
            OpenLine::Carried(field) => {
                let others = if field == Field::Comment { 0 } else { self.block.size };
                if self.line.len() + piece.len() > limit.saturating_sub(others) {
                    return Some(self.refuse(field, reads));
                }
                self.line.push(piece, limit);
            }
            OpenLine::Retry(digits) => self.open = OpenLine::Retry(digits.fold(piece.bytes())),
            OpenLine::Skipped(Field::Other) => ignore(&mut self.ignored, piece.bytes(), false),
            OpenLine::Skipped(_) => {}
        }
        None
    }

    /// Begins a line that is read in pieces. Its head is long enough to know the field, and where the value begins.
    fn begin_line(&mut self, head: Scanned<'_>, reads: Reads) -> Option<Stored> {
        let (field, value) = head.field();
        self.open = match field {
            // One that is not read is skipped by `push`.
            Field::Comment => OpenLine::Carried(field),
            Field::Other => OpenLine::Skipped(field),
            _ if self.block.state == BlockState::TooLarge => OpenLine::Skipped(field),
            Field::EventType | Field::Id => OpenLine::Carried(field),
            Field::Retry => OpenLine::Retry(Digits::Empty.fold(value.bytes())),
            Field::Data if !self.block.count(head.len()) => return Some(self.refuse(field, reads)),
            Field::Data => {
                self.block.data.push_line(value, self.block.limit);
                OpenLine::Data
            }
        };
        match self.open {
            OpenLine::Carried(_) | OpenLine::Skipped(Field::Other) => self.push(head, reads),
            _ => None,
        }
    }

    /// Ends the open line, or a blank one. Its end has this many bytes: one, or none at the end of the stream.
    fn end_line(&mut self, end: usize, reads: Reads) -> Option<Stored> {
        match mem::take(&mut self.open) {
            OpenLine::None => return self.end_block(reads),
            OpenLine::Data if !self.block.count(end) => return Some(self.refuse(Field::Data, reads)),
            OpenLine::Carried(Field::Comment) if reads != Reads::BlocksAndComments => self.line.release(),
            OpenLine::Carried(Field::Comment) if end > 0 && self.line.len() + end > self.block.limit => {
                return Some(self.refuse(Field::Comment, reads));
            }
            OpenLine::Carried(Field::Comment) => return Some(Stored::Comment),
            OpenLine::Name | OpenLine::Carried(_) => {
                let line = mem::take(&mut self.line);
                // At the end of the stream nothing arrives that could count, except that a name alone is a field.
                let counts = if end == 0 && line.bytes().contains(&b':') { 0 } else { line.len() + end };
                let stored = line.value().and_then(|line| self.process_line(line, counts, reads));
                self.line = line;
                self.line.release();
                return stored;
            }
            OpenLine::Retry(digits) => self.set_retry(digits),
            OpenLine::Skipped(Field::Other) => ignore(&mut self.ignored, b"", true),
            OpenLine::Data | OpenLine::Skipped(_) => {}
        }
        None
    }

    /// The field of the open line.
    fn open_field(&self) -> Field {
        match self.open {
            OpenLine::Carried(field) | OpenLine::Skipped(field) => field,
            OpenLine::Data => Field::Data,
            OpenLine::Retry(_) => Field::Retry,
            OpenLine::Name | OpenLine::None => Field::parse(self.line.bytes()).0,
        }
    }

    /// Processes a line that is not blank, of which this many bytes count now. Returns what the line completes.
    #[inline(always)]
    fn process_line(&mut self, line: Scanned<'_>, counts: usize, reads: Reads) -> Option<Stored> {
        let (field, value) = line.field();
        let limit = self.block.limit;
        match field {
            Field::Comment if reads != Reads::BlocksAndComments => {}
            Field::Comment if counts > limit => return Some(self.refuse(field, reads)),
            Field::Comment => {
                self.line.push(line, limit);
                return Some(Stored::Comment);
            }
            Field::Other => ignore(&mut self.ignored, line.bytes(), true),
            _ if self.block.state == BlockState::TooLarge => {}
            Field::Retry => self.set_retry(Digits::Empty.fold(value.bytes())),
            _ if !self.block.count(counts) => return Some(self.refuse(field, reads)),
            Field::Data => self.block.data.push_line(value, limit),
            Field::EventType => self.block.event_type.set(value, limit),
            Field::Id if value.has_nul() => {}
            Field::Id => self.block.id.set(value, limit),
        }
        None
    }

    /// Ends the open block at its blank line: its ID takes effect. Returns whether it has what the caller reads.
    fn end_block(&mut self, reads: Reads) -> Option<Stored> {
        if self.block.state == BlockState::Open {
            if let Some(id) = self.block.id.text() {
                self.last_event_id.get_or_insert_default().set(id);
            }
            let has_any = self.block.event_type.is_set() || self.block.id.is_set() || self.block.retry.is_some();
            if self.block.data.is_set() || reads != Reads::Events && has_any {
                self.block.state = BlockState::Returned;
                return Some(Stored::Block);
            }
        }
        self.block.begin();
        None
    }

    /// Sets the reconnection time, if the value is one. It takes effect at once.
    fn set_retry(&mut self, digits: Digits) {
        if let Digits::Number(milliseconds) = digits {
            self.reconnection_time = Some(Duration::from_millis(milliseconds));
            self.block.retry = self.reconnection_time;
        }
    }

    /// Refuses the block, or a comment, inside a line of this field, the rest of which is skipped. Returns the error.
    #[cold]
    fn refuse(&mut self, field: Field, reads: Reads) -> Stored {
        let limit = self.block.limit;
        self.open = OpenLine::Skipped(field);
        self.line.release();
        if field == Field::Comment {
            return Stored::Error(DecodeError::CommentTooLarge { limit });
        }
        self.block.state = BlockState::TooLarge;
        self.block.size = 0;
        if reads == Reads::Events {
            self.block.retry = None;
        }
        Stored::Error(DecodeError::EventTooLarge { limit })
    }

    /// Ends the stream if a line of this field, which has ended, is not UTF-8. Returns the error.
    fn end_check(&mut self, field: Field) -> Option<Stored> {
        let invalid = self.check.as_mut()?.end(field)?;
        self.discard();
        self.crosses = Crosses::Ended;
        Some(Stored::Error(DecodeError::InvalidUtf8(invalid)))
    }

    /// Notes that the input has ended: no byte can follow that would make an unfinished name that of a field.
    pub(super) fn end_input(&mut self) {
        self.drop_returned();
        if self.open == OpenLine::Name && self.open_field() == Field::Other {
            ignore(&mut self.ignored, self.line.bytes(), false);
            self.line.clear();
            self.open = OpenLine::Skipped(Field::Other);
        }
    }

    /// Ends the line and the block in which the stream ends, and returns the next item in them.
    pub(super) fn end_stream(&mut self, reads: Reads) -> Option<Stored> {
        let field = self.open_field();
        self.end_check(field).or_else(|| self.end_line(0, reads)).or_else(|| self.end_block(reads))
    }

    /// Discards what is unfinished.
    pub(super) fn discard(&mut self) {
        self.open = OpenLine::None;
        self.line.release();
        if let Some(check) = &mut self.check {
            check.end(Field::Other);
        }
        self.block.begin();
    }

    /// Drops what was returned last, and may have been borrowed.
    #[inline]
    fn drop_returned(&mut self) {
        if self.open == OpenLine::None {
            self.line.release();
            if self.block.state == BlockState::Returned {
                self.block.begin();
            }
        }
    }

    /// The carried line, which is a comment, as text.
    pub(super) fn comment(&mut self) -> &str {
        let (_, comment) = Scanned::from(self.line.text().unwrap_or_default()).field();
        comment.text().unwrap_or_default()
    }

    /// Whether the reconnection time of a block that is too large has not been returned yet.
    pub(super) fn has_refused_retry(&self, reads: Reads) -> bool {
        reads != Reads::Events && self.block.state == BlockState::TooLarge && self.block.retry.is_some()
    }

    /// How many bytes have been consumed since there were so many.
    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "they are a part of one chunk")]
    fn passed(&self, begin: u64) -> usize {
        (self.bytes_read - begin) as usize
    }

    /// Sets the limit, in bytes.
    pub(super) fn set_limit(&mut self, limit: usize) {
        self.block.limit = limit;
        self.drop_returned();
        if self.block.is_empty() && self.open == OpenLine::None {
            self.block.begin();
        }
    }

    /// Checks lines from here on, or stops checking. A line that is open is not checked, unless it has been so far.
    pub(super) fn set_check(&mut self, is_checked: bool) {
        if !is_checked {
            self.check = None;
        } else if self.check.is_none() {
            self.check.get_or_insert_default().is_unchecked = self.open != OpenLine::None;
        }
    }

    /// Whether lines are checked.
    #[cfg(feature = "json")]
    pub(super) fn checks(&self) -> bool {
        self.check.is_some()
    }

    /// Where the bytes so far end.
    pub(super) fn position(&self) -> Position {
        let is_within = self.block.size > 0 && self.block.state != BlockState::Returned;
        match self.open {
            _ if self.crosses == Crosses::Ended => Position::Ended,
            _ if is_within || self.block.state == BlockState::TooLarge => Position::WithinBlock,
            OpenLine::None => Position::BetweenBlocks,
            OpenLine::Carried(Field::Comment) | OpenLine::Skipped(Field::Comment) => Position::WithinComment,
            _ => Position::WithinBlock,
        }
    }
}

/// Keeps the beginning of a line that is no field, or of a piece of one.
#[cold]
fn ignore(ignored: &mut Vec<u8>, piece: &[u8], is_end: bool) {
    let room = MAX_IGNORED - ignored.len();
    ignored.reserve_exact(room);
    ignored.extend_from_slice(piece.get(..room).unwrap_or(piece));
    if is_end && ignored.len() < MAX_IGNORED {
        ignored.push(b'\n');
    }
}

/// The value of a `retry` field, read digit by digit, because it may arrive in pieces.
///
/// `str::parse` has another grammar: it accepts `+5`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Digits {
    /// "Consists of only ASCII digits" is also true of an empty value, but that is no time.
    Empty,
    /// The number, saturating.
    Number(u64),
    Invalid,
}

impl Digits {
    fn fold(self, bytes: &[u8]) -> Digits {
        bytes.iter().fold(self, |digits, byte| match (digits, byte) {
            (Digits::Empty, b'0'..=b'9') => Digits::Number(u64::from(byte - b'0')),
            (Digits::Number(number), b'0'..=b'9') => {
                Digits::Number(number.saturating_mul(10).saturating_add(u64::from(byte - b'0')))
            }
            _ => Digits::Invalid,
        })
    }
}
