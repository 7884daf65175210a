//! From lines to events: [interpreting an event stream], with the standard's buffers.
//!
//! A block is the lines up to a blank one. A value of it that lies whole in its chunk is lent ([`Lent`]) as long as the
//! chunk lasts; what has to outlive the chunk, or to be put together, is held in the buffers.
//!
//! [interpreting an event stream]: https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation

use super::{
    block_buffers::{Held, Lent},
    buffer::Buffer,
    digits::Digits,
    label::Label,
    open_line::Open,
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
pub(crate) struct Interpreter {
    state: State,
    size: Size,
    open: Open,
    held: Held,
    /// The reconnection time that this block sets.
    retry: Option<Duration>,
    /// The one that earlier blocks have set.
    reconnection_time: Option<Duration>,
    /// `None` until there is one. An empty ID is one too: it is what a stream has cleared.
    last_event_id: Option<Label>,
    /// The type of the last event that had one.
    type_label: Label,
    /// Text that had to be repaired before it could be lent.
    repaired: Buffer<String>,
}

/// What becomes of the present block.
///
/// Most events are lent from their chunk and leave the buffers as they are; one look at the state tells, where there would
/// have to be one at each buffer after every event (DESIGN.md has what it brought).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// It is being read, and all of it that takes effect is lent.
    Lent,
    /// It is being read, and the buffers have to be looked at when it ends.
    Held,
    /// Its event is out, whose text may still be lent from the buffers: they are emptied when the next block begins.
    Dispatched,
    /// It has gone over the limit; its lines are passed over up to the blank one.
    TooLarge,
}

/// Where the data of a finished event is.
#[derive(Clone, Copy)]
pub(crate) enum Text<'c> {
    /// These bytes of the chunk.
    Chunk(&'c [u8]),
    /// What the block holds.
    Held,
}

/// What a finished event is made of.
#[derive(Clone, Copy)]
pub(crate) struct Ready<'c> {
    /// Whether the event has a type; the label holds it.
    pub(crate) is_typed: bool,
    pub(crate) data: Text<'c>,
    pub(crate) retry: Option<Duration>,
}

impl Interpreter {
    pub(crate) fn new(limit: usize) -> Interpreter {
        Interpreter {
            state: State::Lent,
            size: Size::new(limit),
            open: Open::START,
            held: Held::default(),
            retry: None,
            reconnection_time: None,
            last_event_id: None,
            type_label: Label::default(),
            repaired: Buffer::default(),
        }
    }

    pub(crate) fn limit(&self) -> usize {
        self.size.limit()
    }

    pub(crate) fn set_limit(&mut self, limit: usize) {
        self.size.set_limit(limit);
    }

    #[inline]
    pub(crate) fn last_event_id(&self) -> &str {
        self.last_event_id.as_ref().map_or("", Label::as_str)
    }

    /// The last valid `retry`, which counts before its block is over.
    pub(crate) fn reconnection_time(&self) -> Option<Duration> {
        self.retry.or(self.reconnection_time)
    }

    #[inline]
    pub(crate) fn state(&self) -> State {
        self.state
    }

    /// Whether no block is open: there has been no data, event or id line since the last one ended.
    pub(crate) fn is_between_blocks(&self) -> bool {
        self.size.is_zero() && self.state != State::TooLarge
    }

    /// Whether the line that is open at the chunk's end is a comment.
    pub(crate) fn is_in_comment(&self) -> bool {
        self.open.is_comment()
    }

    /// Takes in a line that lies whole in the chunk and is not blank.
    #[inline(always)]
    pub(crate) fn line<'c>(&mut self, line: &'c [u8], lent: &mut Lent<'c>) -> Result<(), Excess> {
        // Comments first: a stream may consist of little else.
        if line.first() == Some(&b':') {
            return Ok(());
        }
        let (field, value) = Field::of(line);
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
            Field::Data if lent.data.is_none() && !self.held.has_data() => lent.data = Some(value),
            Field::Data => self.hold_lines(lent.data.take(), value),
            Field::EventType => lent.event_type = Some(value),
            Field::Id if memchr::memchr(0, value).is_none() => lent.id = Some(value),
            _ => {}
        }
        Ok(())
    }

    /// A second data line, and those after it, are put together in the buffer.
    fn hold_lines(&mut self, first: Option<&[u8]>, line: &[u8]) {
        self.state = State::Held;
        if let Some(first) = first {
            self.held.push_data_line(first);
        }
        self.held.push_data_line(line);
    }

    fn end_retry(&mut self, digits: Digits) {
        if let Some(time) = digits.milliseconds() {
            self.state = State::Held;
            self.retry = Some(time);
        }
    }

    /// Moves what is lent into the buffers: the chunk ends.
    #[inline(always)]
    pub(crate) fn hold(&mut self, lent: Lent<'_>) {
        if lent.data.is_some() || lent.event_type.is_some() || lent.id.is_some() {
            self.state = State::Held;
            self.held.take_over(lent);
        }
    }

    /// Takes in the beginning of a line that goes on beyond its chunk. Nothing is lent any more.
    pub(crate) fn begin_line(&mut self, head: &[u8]) -> Result<(), Excess> {
        self.state = State::Held;
        self.open = Open::START;
        if head.len() < LONGEST_PREFIX {
            return self.more(head);
        }
        // The name and what follows it are all there.
        let (field, value) = Field::of(head);
        self.begin_value(field);
        match field {
            Field::Data | Field::EventType | Field::Id => self.size.count_line(head, 0)?,
            Field::Retry => self.open = Open::Digits(Digits::Empty.fold(value)),
            Field::Comment | Field::Other => {}
        }
        self.held.append(field, value);
        Ok(())
    }

    /// Takes in more of the open line.
    #[inline(always)]
    pub(crate) fn more(&mut self, bytes: &[u8]) -> Result<(), Excess> {
        match self.open {
            Open::Value(field) => {
                self.size.count(field, bytes.len()).map_err(|beyond| Excess::InLine { unread: beyond - 1 })?;
                self.held.append(field, bytes);
                Ok(())
            }
            _ => self.more_of_prefix(bytes),
        }
    }

    /// Takes in more of the open line, the long way, byte by byte to where its value begins.
    pub(crate) fn more_of_prefix(&mut self, mut bytes: &[u8]) -> Result<(), Excess> {
        while let [first, behind @ ..] = bytes {
            match self.open {
                Open::Name(name) if *first == b':' => {
                    let field = name.field();
                    bytes = behind;
                    self.open = Open::Space(field);
                    self.size.count(field, name.len() + 1).map_err(|_| Excess::InLine { unread: bytes.len() })?;
                }
                Open::Name(name) => {
                    bytes = behind;
                    self.open = name.with(*first).map_or(Open::Value(Field::Other), Open::Name);
                }
                Open::Space(field) => {
                    self.begin_value(field);
                    if *first == b' ' {
                        bytes = behind;
                        self.size.count(field, 1).map_err(|_| Excess::InLine { unread: bytes.len() })?;
                    }
                }
                Open::Value(_) => return self.more(bytes),
                Open::Digits(digits) => {
                    self.open = Open::Digits(digits.fold(bytes));
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Ends the open line at a line end.
    pub(crate) fn end_line(&mut self) -> Result<(), Excess> {
        self.end_line_at_eof()?;
        match self.open {
            Open::Value(field) => self.size.count(field, 1).map_err(|_| Excess::LineEnd),
            _ => Ok(()),
        }
    }

    /// Ends the open line where the stream ends, with no line end to be counted.
    pub(crate) fn end_line_at_eof(&mut self) -> Result<(), Excess> {
        match self.open {
            Open::Name(name) => {
                let field = name.field();
                self.size.count(field, name.len()).map_err(|_| Excess::LineEnd)?;
                self.begin_value(field);
            }
            Open::Space(field) => self.begin_value(field),
            Open::Value(_) | Open::Digits(_) => {}
        }
        match self.open {
            Open::Value(field) => self.held.end(field),
            Open::Digits(digits) => self.end_retry(digits),
            Open::Name(_) | Open::Space(_) => {}
        }
        Ok(())
    }

    #[inline]
    fn begin_value(&mut self, field: Field) {
        self.held.begin(field);
        self.open = if field == Field::Retry { Open::Digits(Digits::Empty) } else { Open::Value(field) };
    }

    /// Ends the block at its blank line: its ID takes hold, and if it has data, there is an event.
    ///
    /// The event's text stays where it is until [`begin_block`](Interpreter::begin_block).
    #[inline(always)]
    pub(crate) fn dispatch<'c>(&mut self, lent: &mut Lent<'c>) -> Option<Ready<'c>> {
        if self.state != State::Lent {
            return self.dispatch_held(mem::take(lent));
        }
        // A blank line between comments ends nothing.
        if self.size.is_zero() {
            return None;
        }
        self.size.clear();
        let Lent { data, event_type, id } = mem::take(lent);
        if let Some(id) = id {
            self.set_last_event_id(id);
        }
        let data = Text::Chunk(data?);
        // Emptiness first: comparing two empty slices can cost more than comparing two short ones.
        let event_type = event_type.unwrap_or_default();
        let is_typed = !event_type.is_empty();
        if is_typed && self.type_label.set(event_type, &mut self.repaired) {
            self.state = State::Held;
        }
        Some(Ready { is_typed, data, retry: None })
    }

    fn dispatch_held<'c>(&mut self, lent: Lent<'c>) -> Option<Ready<'c>> {
        if let Some(id) = lent.id.or_else(|| self.held.id()) {
            self.last_event_id.get_or_insert_default().set(id, &mut self.repaired);
        }
        let retry = self.retry.take();
        self.reconnection_time = retry.or(self.reconnection_time);
        let data = match lent.data {
            Some(data) => Text::Chunk(data),
            None if !self.held.has_data() => {
                self.type_label.end_block(false);
                self.begin_block();
                return None;
            }
            None => Text::Held,
        };
        let event_type = lent.event_type.unwrap_or(self.held.event_type());
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
    pub(crate) fn set_last_event_id(&mut self, id: &[u8]) {
        let look_at_buffers = self.last_event_id.get_or_insert_default().set(id, &mut self.repaired);
        // A caller may set an ID at any time: a block that is over, or too large, remains so.
        if look_at_buffers && self.state == State::Lent {
            self.state = State::Held;
        }
    }

    /// As if there had never been an ID.
    pub(crate) fn forget_last_event_id(&mut self) {
        self.last_event_id = None;
    }

    /// Discards what the block holds, but for a reconnection time, which counts already. The block is not over by that.
    pub(crate) fn discard(&mut self) {
        self.reconnection_time = self.reconnection_time();
        self.retry = None;
        self.open = Open::START;
        self.size.clear();
        self.held.empty();
        self.repaired.empty();
        self.state = State::Held;
    }

    /// Discards a block that is too large, and what is still to come of it.
    pub(crate) fn refuse_block(&mut self) {
        self.discard();
        self.state = State::TooLarge;
    }

    /// Makes the buffers empty, for the next block.
    pub(crate) fn begin_block(&mut self) {
        self.size.clear();
        let mut any_is_large = self.held.recycle() | self.repaired.recycle() | self.type_label.is_large();
        if let Some(id) = &mut self.last_event_id {
            any_is_large |= id.is_large();
            id.end_block(true);
        }
        self.state = if any_is_large { State::Held } else { State::Lent };
    }

    #[inline]
    pub(crate) fn held_data(&self) -> &[u8] {
        self.held.data()
    }

    pub(crate) fn take_data(&mut self) -> Vec<u8> {
        self.held.take_data()
    }

    /// The finished event, lent.
    #[inline]
    pub(crate) fn lend<'a>(&'a mut self, ready: &Ready<'a>) -> EventRef<'a> {
        let event_type = if ready.is_typed { self.type_label.as_str() } else { "" };
        let id = self.last_event_id.as_ref().map(Label::as_str);
        let data = match ready.data {
            Text::Chunk(data) => data,
            Text::Held => self.held.data(),
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
    pub(crate) fn own(&mut self, is_typed: bool, data: ByteString, retry: Option<Duration>) -> Event {
        let event_type = is_typed.then(|| self.type_label.shared());
        let id = self.last_event_id.as_mut().map(Label::shared);
        Event::decoded(event_type, data, id, retry)
    }
}
