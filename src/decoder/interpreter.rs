//! From lines to events: [interpreting an event stream], with the standard's buffers.
//!
//! A block is the lines up to a blank one. A value of it that lies whole in its chunk is [`Borrowed`] as long as the
//! chunk lasts; what has to outlive the chunk, or is put together from pieces, is copied into the buffers.
//!
//! [interpreting an event stream]: https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation

use super::{
    block_buffers::BlockBuffers,
    borrowed::Borrowed,
    buffer::Buffer,
    digits::Digits,
    label::Label,
    open_line::OpenLine,
    size::{Excess, Size},
    utf8,
};
use crate::{
    event::{Event, EventRef},
    line::Field,
};
use alloc::{string::String, vec::Vec};
use bytestring::ByteString;
use core::{mem, time::Duration};

/// So many bytes of a line tell its field and where its value begins: `retry`, a colon and a space.
const LONGEST_PREFIX: usize = 7;

#[derive(Clone, Debug)]
pub(super) struct Interpreter {
    state: State,
    size: Size,
    open: OpenLine,
    buffers: BlockBuffers,
    /// The reconnection time that this block sets.
    retry: Option<Duration>,
    /// The one that earlier blocks have set.
    reconnection_time: Option<Duration>,
    /// `None` until there is one. An empty ID is one too: it is what a stream has cleared.
    last_event_id: Option<Label>,
    /// The type of the last event that had one.
    type_label: Label,
    /// Text that had to be repaired before it could be borrowed.
    repaired: Buffer<String>,
}

/// What becomes of the present block.
///
/// Most events are borrowed from their chunk and leave the buffers as they are. Checking this one enum replaces checking
/// every buffer after each event (DESIGN.md has the figure).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// It is being read, and all of it that takes effect is borrowed.
    Borrowed,
    /// It is being read, and the buffers have to be looked at when it ends.
    Buffered,
    /// Its event is out, whose text may still be borrowed from the buffers: they are emptied when the next block begins.
    Dispatched,
    /// It has gone over the limit; its lines are passed over up to the blank one.
    TooLarge,
}

/// Where the data of a finished event is.
#[derive(Clone, Copy)]
pub(super) enum Data<'c> {
    /// These bytes of the chunk.
    Chunk(&'c [u8]),
    /// The data buffer.
    Buffered,
}

/// What a finished event is made of.
#[derive(Clone, Copy)]
pub(super) struct Ready<'c> {
    /// Whether the event has a type; the label holds it.
    pub(super) is_typed: bool,
    pub(super) data: Data<'c>,
    pub(super) retry: Option<Duration>,
}

impl Interpreter {
    pub(super) fn new(limit: usize) -> Interpreter {
        Interpreter {
            state: State::Borrowed,
            size: Size::new(limit),
            open: OpenLine::START,
            buffers: BlockBuffers::default(),
            retry: None,
            reconnection_time: None,
            last_event_id: None,
            type_label: Label::default(),
            repaired: Buffer::default(),
        }
    }

    pub(super) fn limit(&self) -> usize {
        self.size.limit()
    }

    pub(super) fn set_limit(&mut self, limit: usize) {
        self.size.set_limit(limit);
    }

    #[inline]
    pub(super) fn last_event_id(&self) -> &str {
        self.last_event_id.as_ref().map_or("", Label::as_str)
    }

    /// The last valid `retry`, which counts before its block is over.
    pub(super) fn reconnection_time(&self) -> Option<Duration> {
        self.retry.or(self.reconnection_time)
    }

    #[inline]
    pub(super) fn state(&self) -> State {
        self.state
    }

    /// Whether no block is open: there has been no data, event or id line since the last one ended.
    pub(super) fn is_between_blocks(&self) -> bool {
        self.size.is_zero() && self.state != State::TooLarge
    }

    /// Whether the line that is open at the chunk's end is a comment.
    pub(super) fn is_in_comment(&self) -> bool {
        self.open.is_comment()
    }

    /// Takes in a line that lies whole in the chunk and is not blank.
    #[inline(always)]
    pub(super) fn line<'c>(&mut self, line: &'c [u8], borrowed: &mut Borrowed<'c>) -> Result<(), Excess> {
        // Comments first: a stream may consist of little else.
        if line.first() == Some(&b':') {
            return Ok(());
        }
        let (field, value) = Field::parse(line);
        match field {
            Field::Comment | Field::Other => return Ok(()),
            Field::Retry => {
                self.end_retry(Digits::Empty.fold(value));
                return Ok(());
            }
            Field::Data | Field::EventType | Field::Id => {}
        }
        self.size.count_line(line, 1)?;
        match field {
            Field::Data if borrowed.data.is_none() && !self.buffers.has_data() => borrowed.data = Some(value),
            Field::Data => self.buffer_lines(borrowed.data.take(), value),
            Field::EventType => borrowed.event_type = Some(value),
            Field::Id if memchr::memchr(0, value).is_none() => borrowed.id = Some(value),
            _ => {}
        }
        Ok(())
    }

    /// A second data line, and those after it, are put together in the buffer.
    fn buffer_lines(&mut self, first: Option<&[u8]>, line: &[u8]) {
        self.state = State::Buffered;
        if let Some(first) = first {
            self.buffers.push_data_line(first);
        }
        self.buffers.push_data_line(line);
    }

    fn end_retry(&mut self, digits: Digits) {
        if let Some(time) = digits.milliseconds() {
            self.state = State::Buffered;
            self.retry = Some(time);
        }
    }

    /// Copies what is borrowed into the buffers: the chunk ends.
    #[inline(always)]
    pub(super) fn buffer(&mut self, borrowed: Borrowed<'_>) {
        if borrowed.data.is_some() || borrowed.event_type.is_some() || borrowed.id.is_some() {
            self.state = State::Buffered;
            self.buffers.take_over(borrowed);
        }
    }

    /// Takes in the beginning of a line that goes on beyond its chunk. Nothing is borrowed any more.
    pub(super) fn begin_line(&mut self, head: &[u8]) -> Result<(), Excess> {
        self.state = State::Buffered;
        self.open = OpenLine::START;
        if head.len() < LONGEST_PREFIX {
            return self.more(head);
        }
        // The name and what follows it are all there.
        let (field, value) = Field::parse(head);
        self.begin_value(field);
        match field {
            Field::Data | Field::EventType | Field::Id => self.size.count_line(head, 0)?,
            Field::Retry => self.open = OpenLine::Digits(Digits::Empty.fold(value)),
            Field::Comment | Field::Other => {}
        }
        self.buffers.append(field, value);
        Ok(())
    }

    /// Takes in more of the open line.
    #[inline(always)]
    pub(super) fn more(&mut self, bytes: &[u8]) -> Result<(), Excess> {
        match self.open {
            OpenLine::Value(field) => {
                self.size.count(field, bytes.len()).map_err(|beyond| Excess::InLine { unread: beyond - 1 })?;
                self.buffers.append(field, bytes);
                Ok(())
            }
            _ => self.more_of_prefix(bytes),
        }
    }

    /// Takes in more of the open line, the long way, byte by byte to where its value begins.
    pub(super) fn more_of_prefix(&mut self, mut bytes: &[u8]) -> Result<(), Excess> {
        while let [first, behind @ ..] = bytes {
            match self.open {
                OpenLine::Name(name) if *first == b':' => {
                    let field = name.field();
                    bytes = behind;
                    self.open = OpenLine::Space(field);
                    self.size.count(field, name.len() + 1).map_err(|_| Excess::InLine { unread: bytes.len() })?;
                }
                OpenLine::Name(name) => {
                    bytes = behind;
                    self.open = name.with(*first).map_or(OpenLine::Value(Field::Other), OpenLine::Name);
                }
                OpenLine::Space(field) => {
                    self.begin_value(field);
                    if *first == b' ' {
                        bytes = behind;
                        self.size.count(field, 1).map_err(|_| Excess::InLine { unread: bytes.len() })?;
                    }
                }
                OpenLine::Value(_) => return self.more(bytes),
                OpenLine::Digits(digits) => {
                    self.open = OpenLine::Digits(digits.fold(bytes));
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Ends the open line at a line end.
    pub(super) fn end_line(&mut self) -> Result<(), Excess> {
        self.end_line_at_eof()?;
        match self.open {
            OpenLine::Value(field) => self.size.count(field, 1).map_err(|_| Excess::LineEnd),
            _ => Ok(()),
        }
    }

    /// Ends the open line where the stream ends, with no line end to be counted.
    pub(super) fn end_line_at_eof(&mut self) -> Result<(), Excess> {
        match self.open {
            OpenLine::Name(name) => {
                let field = name.field();
                self.size.count(field, name.len()).map_err(|_| Excess::LineEnd)?;
                self.begin_value(field);
            }
            OpenLine::Space(field) => self.begin_value(field),
            OpenLine::Value(_) | OpenLine::Digits(_) => {}
        }
        match self.open {
            OpenLine::Value(field) => self.buffers.end(field),
            OpenLine::Digits(digits) => self.end_retry(digits),
            OpenLine::Name(_) | OpenLine::Space(_) => {}
        }
        Ok(())
    }

    #[inline]
    fn begin_value(&mut self, field: Field) {
        self.buffers.begin(field);
        self.open = if field == Field::Retry { OpenLine::Digits(Digits::Empty) } else { OpenLine::Value(field) };
    }

    /// Ends the block at its blank line: its ID takes hold, and if it has data, there is an event.
    ///
    /// The event's text stays where it is until [`begin_block`](Interpreter::begin_block).
    #[inline(always)]
    pub(super) fn dispatch<'c>(&mut self, borrowed: &mut Borrowed<'c>) -> Option<Ready<'c>> {
        if self.state != State::Borrowed {
            return self.dispatch_buffered(mem::take(borrowed));
        }
        // A blank line between comments ends nothing.
        if self.size.is_zero() {
            return None;
        }
        self.size.clear();
        let Borrowed { data, event_type, id } = mem::take(borrowed);
        if let Some(id) = id {
            self.set_last_event_id(id);
        }
        let data = Data::Chunk(data?);
        // Emptiness first: comparing two empty slices can cost more than comparing two short ones.
        let event_type = event_type.unwrap_or_default();
        let is_typed = !event_type.is_empty();
        if is_typed && self.type_label.set(event_type, &mut self.repaired) {
            self.state = State::Buffered;
        }
        Some(Ready { is_typed, data, retry: None })
    }

    fn dispatch_buffered<'c>(&mut self, borrowed: Borrowed<'c>) -> Option<Ready<'c>> {
        if let Some(id) = borrowed.id.or_else(|| self.buffers.id()) {
            self.last_event_id.get_or_insert_default().set(id, &mut self.repaired);
        }
        let retry = self.retry.take();
        self.reconnection_time = retry.or(self.reconnection_time);
        let data = match borrowed.data {
            Some(data) => Data::Chunk(data),
            None if !self.buffers.has_data() => {
                self.type_label.end_block(false);
                self.begin_block();
                return None;
            }
            None => Data::Buffered,
        };
        let event_type = borrowed.event_type.unwrap_or(self.buffers.event_type());
        let is_typed = !event_type.is_empty();
        if is_typed {
            self.type_label.set(event_type, &mut self.repaired);
        }
        self.type_label.end_block(is_typed);
        self.size.clear();
        self.state = State::Dispatched;
        Some(Ready { is_typed, data, retry })
    }

    /// Lets an ID take hold.
    #[inline]
    pub(super) fn set_last_event_id(&mut self, id: &[u8]) {
        let look_at_buffers = self.last_event_id.get_or_insert_default().set(id, &mut self.repaired);
        // A caller may set an ID at any time: a block that is over, or too large, remains so.
        if look_at_buffers && self.state == State::Borrowed {
            self.state = State::Buffered;
        }
    }

    /// As if there had never been an ID.
    pub(super) fn forget_last_event_id(&mut self) {
        self.last_event_id = None;
    }

    /// Discards what the block holds, but for a reconnection time, which counts already. The block is not over by that.
    pub(super) fn discard(&mut self) {
        self.reconnection_time = self.reconnection_time();
        self.retry = None;
        self.open = OpenLine::START;
        self.size.clear();
        self.buffers.empty();
        self.repaired.empty();
        self.state = State::Buffered;
    }

    /// Discards a block that is too large, and what is still to come of it.
    pub(super) fn refuse_block(&mut self) {
        self.discard();
        self.state = State::TooLarge;
    }

    /// Makes the buffers empty, for the next block.
    pub(super) fn begin_block(&mut self) {
        self.size.clear();
        let mut any_is_large = self.buffers.recycle() | self.repaired.recycle() | self.type_label.is_large();
        if let Some(id) = &mut self.last_event_id {
            any_is_large |= id.is_large();
            id.end_block(true);
        }
        self.state = if any_is_large { State::Buffered } else { State::Borrowed };
    }

    #[inline]
    pub(super) fn buffered_data(&self) -> &[u8] {
        self.buffers.data()
    }

    pub(super) fn take_data(&mut self) -> Vec<u8> {
        self.buffers.take_data()
    }

    /// The finished event, borrowed.
    #[inline]
    pub(super) fn lend<'a>(&'a mut self, ready: &Ready<'a>) -> EventRef<'a> {
        let event_type = if ready.is_typed { self.type_label.as_str() } else { "" };
        let id = self.last_event_id.as_ref().map(Label::as_str);
        let data = match ready.data {
            Data::Chunk(data) => data,
            Data::Buffered => self.buffers.data(),
        };
        let data = match utf8::valid(data) {
            Some(data) => data,
            None => {
                self.state = State::Dispatched;
                self.repaired.empty();
                utf8::repair(data, &mut self.repaired);
                &self.repaired
            }
        };
        EventRef::decoded(event_type, data, id, ready.retry)
    }

    /// The finished event with `data` for its data, owned.
    #[inline]
    pub(super) fn own(&mut self, is_typed: bool, data: ByteString, retry: Option<Duration>) -> Event {
        let event_type = is_typed.then(|| self.type_label.shared());
        let id = self.last_event_id.as_mut().map(Label::shared);
        Event::decoded(event_type, data, id, retry)
    }
}
