//! From lines to events: [interpreting an event stream], with the standard's buffers.
//!
//! A block is the lines up to a blank one. A value of it that lies whole in its chunk is lent ([`Lent`]) as long as the
//! chunk lasts; what has to outlive the chunk, or to be put together, is held in the buffers.
//!
//! [interpreting an event stream]: https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation

use crate::{
    buffer::Buffer,
    digits::Digits,
    event::{Event, EventRef},
    field::Field,
    label::Label,
    text,
};
use alloc::{string::String, vec::Vec};
use bytestring::ByteString;
use core::{mem, time::Duration};

/// So many bytes of a line tell its field and where its value begins: `retry`, a colon and a space.
const LONGEST_PREFIX: usize = 7;

#[derive(Clone, Debug)]
pub(crate) struct Interpreter {
    /// The bytes of the block's data, event and id lines so far, each line end counted as one.
    size: usize,
    limit: usize,
    open: Open,
    /// The standard's data buffer: each line with an LF behind it, so that it is empty only without any line.
    data: Buffer<Vec<u8>>,
    /// The standard's event type buffer.
    event_type: Buffer<Vec<u8>>,
    /// The ID that this block sets, with an LF behind it, so that an empty one differs from none; then as much as is
    /// there of an `id` line that is still open.
    id: Buffer<Vec<u8>>,
    /// The reconnection time that this block sets.
    retry: Option<Duration>,
    /// The one that earlier blocks have set.
    reconnection_time: Option<Duration>,
    last_event_id: Label,
    /// The type of the last event that had one.
    type_label: Label,
    /// Text that had to be repaired before it could be lent.
    repaired: Buffer<String>,
    state: State,
}

/// What becomes of the present block.
///
/// Most events are lent from their chunk and leave the buffers as they are. That these know it from one look at the
/// state, and not from one at each buffer, takes a tenth off the time of a short event.
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

/// Where in a line that straddles chunks the last chunk ended.
#[derive(Clone, Copy, Debug)]
enum Open {
    Name(Name),
    /// Behind the colon, where one space is passed over.
    Space(Field),
    Value(Field),
    /// In the value of `retry`.
    Digits(Digits),
}

/// The part of a field name that is there, as far as it can still become a known one.
#[derive(Clone, Copy, Debug)]
struct Name {
    bytes: [u8; 6],
    len: u8,
}

/// The values of this block that lie whole in the present chunk. Each takes precedence over what is held.
#[derive(Clone, Copy, Default)]
pub(crate) struct Lent<'c> {
    /// The only data line so far; nothing is held of the data then.
    data: Option<&'c [u8]>,
    event_type: Option<&'c [u8]>,
    id: Option<&'c [u8]>,
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

/// Where the first byte beyond the size limit stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Excess {
    /// In the piece of a line that was just taken in, with so many bytes behind it that are not looked at.
    InLine { unread: usize },
    /// It is the line's end.
    LineEnd,
}

impl Interpreter {
    pub(crate) fn new(limit: usize) -> Interpreter {
        Interpreter {
            size: 0,
            limit,
            open: Open::Name(Name::EMPTY),
            data: Buffer::default(),
            event_type: Buffer::default(),
            id: Buffer::default(),
            retry: None,
            reconnection_time: None,
            last_event_id: Label::default(),
            type_label: Label::default(),
            repaired: Buffer::default(),
            state: State::Lent,
        }
    }

    pub(crate) fn limit(&self) -> usize {
        self.limit
    }

    pub(crate) fn set_limit(&mut self, limit: usize) {
        self.limit = limit;
    }

    #[inline]
    pub(crate) fn last_event_id(&self) -> &str {
        self.last_event_id.as_str()
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
        self.size == 0 && self.state != State::TooLarge
    }

    /// Whether the line that is open at the chunk's end is a comment.
    pub(crate) fn is_in_comment(&self) -> bool {
        matches!(self.open, Open::Space(Field::Comment) | Open::Value(Field::Comment))
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
        self.size = self.size.saturating_add(line.len() + 1);
        if self.size > self.limit {
            return Err(self.excess(line, line.len() + 1));
        }
        match field {
            Field::Data if lent.data.is_none() && self.data.is_empty() => lent.data = Some(value),
            Field::Data => self.hold_lines(lent.data.take(), value),
            Field::EventType => lent.event_type = Some(value),
            _ if memchr::memchr(0, value).is_some() => {}
            _ => lent.id = Some(value),
        }
        Ok(())
    }

    /// A second data line, and those after it, are put together in the buffer.
    fn hold_lines(&mut self, first: Option<&[u8]>, line: &[u8]) {
        self.state = State::Held;
        if let Some(first) = first {
            push_line(&mut self.data, first);
        }
        push_line(&mut self.data, line);
    }

    fn end_retry(&mut self, digits: Digits) {
        if let Some(time) = digits.milliseconds() {
            self.state = State::Held;
            self.retry = Some(time);
        }
    }

    /// The place of the first byte beyond the limit, of `counted` bytes that `line` and perhaps its end have just added.
    #[cold]
    fn excess(&self, line: &[u8], counted: usize) -> Excess {
        let first_beyond = counted - (self.size - self.limit).min(counted);
        // What a line is, and that it counts, is known at its colon and not before.
        let known = memchr::memchr(b':', line).unwrap_or(line.len());
        match line.len().checked_sub(first_beyond.max(known) + 1) {
            Some(unread) => Excess::InLine { unread },
            None => Excess::LineEnd,
        }
    }

    /// Moves what is lent into the buffers: the chunk ends.
    #[inline(always)]
    pub(crate) fn hold(&mut self, lent: Lent<'_>) {
        if lent.data.is_some() || lent.event_type.is_some() || lent.id.is_some() {
            self.hold_values(lent);
        }
    }

    fn hold_values(&mut self, lent: Lent<'_>) {
        self.state = State::Held;
        if let Some(data) = lent.data {
            push_line(&mut self.data, data);
        }
        if let Some(event_type) = lent.event_type {
            self.event_type.clear();
            self.event_type.extend_from_slice(event_type);
        }
        if let Some(id) = lent.id {
            self.id.clear();
            push_line(&mut self.id, id);
        }
    }

    /// Takes in the beginning of a line that goes on beyond its chunk. Nothing is lent any more.
    pub(crate) fn begin_line(&mut self, head: &[u8]) -> Result<(), Excess> {
        self.state = State::Held;
        self.open = Open::Name(Name::EMPTY);
        if head.len() < LONGEST_PREFIX {
            return self.more(head);
        }
        // The name and what follows it are all there.
        let (field, value) = Field::of(head);
        self.data.prepare();
        self.begin_value(field);
        self.count(field, head.len()).map_err(|_| self.excess(head, head.len()))?;
        self.append(field, value);
        Ok(())
    }

    /// Takes in more of the open line.
    #[inline(always)]
    pub(crate) fn more(&mut self, bytes: &[u8]) -> Result<(), Excess> {
        match self.open {
            Open::Value(field) => {
                self.count(field, bytes.len()).map_err(|beyond| Excess::InLine { unread: beyond - 1 })?;
                self.append(field, bytes);
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
                    self.count(field, name.len() + 1).map_err(|_| Excess::InLine { unread: bytes.len() })?;
                }
                Open::Name(name) => {
                    bytes = behind;
                    self.open = name.with(*first).map_or(Open::Value(Field::Other), Open::Name);
                }
                Open::Space(field) => {
                    self.begin_value(field);
                    if *first == b' ' {
                        bytes = behind;
                        self.count(field, 1).map_err(|_| Excess::InLine { unread: bytes.len() })?;
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

    /// Adds to the value of the open line.
    #[inline(always)]
    fn append(&mut self, field: Field, bytes: &[u8]) {
        match field {
            Field::Data => self.data.extend_from_slice(bytes),
            Field::EventType => self.event_type.extend_from_slice(bytes),
            Field::Id => self.id.extend_from_slice(bytes),
            Field::Retry => self.open = Open::Digits(Digits::Empty.fold(bytes)),
            Field::Comment | Field::Other => {}
        }
    }

    /// Ends the open line at a line end.
    pub(crate) fn end_line(&mut self) -> Result<(), Excess> {
        self.end_line_at_eof()?;
        match self.open {
            Open::Value(field) => self.count(field, 1).map_err(|_| Excess::LineEnd),
            _ => Ok(()),
        }
    }

    /// Ends the open line where the stream ends, with no line end to be counted.
    pub(crate) fn end_line_at_eof(&mut self) -> Result<(), Excess> {
        match self.open {
            Open::Name(name) => {
                let field = name.field();
                self.count(field, name.len()).map_err(|_| Excess::LineEnd)?;
                self.begin_value(field);
            }
            Open::Space(field) => self.begin_value(field),
            Open::Value(_) | Open::Digits(_) => {}
        }
        match self.open {
            Open::Value(Field::Data) => self.data.push(b'\n'),
            Open::Value(Field::Id) => self.end_id(),
            Open::Digits(digits) => self.end_retry(digits),
            _ => {}
        }
        Ok(())
    }

    #[inline]
    fn begin_value(&mut self, field: Field) {
        if field == Field::EventType {
            self.event_type.clear();
        }
        self.open = if field == Field::Retry { Open::Digits(Digits::Empty) } else { Open::Value(field) };
    }

    /// The open `id` line, at the end of the buffer, replaces the ID before it unless there is a NUL in it.
    fn end_id(&mut self) {
        let begin = memchr::memchr(b'\n', &self.id).map_or(0, |end| end + 1);
        if memchr::memchr(0, &self.id[begin..]).is_some() {
            self.id.truncate(begin);
        } else {
            self.id.push(b'\n');
            self.id.drain(..begin);
        }
    }

    /// Counts bytes of an open line towards the size; the error is how many of them are beyond the limit.
    #[inline]
    fn count(&mut self, field: Field, bytes: usize) -> Result<(), usize> {
        if matches!(field, Field::Data | Field::EventType | Field::Id) {
            self.size = self.size.saturating_add(bytes);
        }
        match self.size.saturating_sub(self.limit) {
            0 => Ok(()),
            beyond => Err(beyond),
        }
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
        if self.size == 0 {
            return None;
        }
        self.size = 0;
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
        if let Some(id) = lent.id.or_else(|| self.id.strip_suffix(b"\n")) {
            self.last_event_id.set(id, &mut self.repaired);
        }
        let retry = self.retry.take();
        self.reconnection_time = retry.or(self.reconnection_time);
        let data = match lent.data {
            Some(data) => Text::Chunk(data),
            None if self.data.is_empty() => {
                self.type_label.end_block(false);
                self.begin_block();
                return None;
            }
            None => Text::Held,
        };
        let event_type = lent.event_type.unwrap_or(&self.event_type);
        let is_typed = !event_type.is_empty();
        if is_typed {
            self.type_label.set(event_type, &mut self.repaired);
        }
        self.type_label.end_block(is_typed);
        self.size = 0;
        self.state = State::Dispatched;
        Some(Ready { is_typed, data, retry })
    }

    /// Lets an ID take hold.
    #[inline]
    pub(crate) fn set_last_event_id(&mut self, id: &[u8]) {
        if self.last_event_id.set(id, &mut self.repaired) {
            self.state = State::Held;
        }
    }

    /// Discards what the block holds, but for a reconnection time, which counts already.
    pub(crate) fn discard(&mut self) {
        self.reconnection_time = self.reconnection_time();
        self.retry = None;
        self.open = Open::Name(Name::EMPTY);
        self.begin_block();
    }

    /// Discards a block that is too large, and what is still to come of it.
    pub(crate) fn pass_over(&mut self) {
        self.discard();
        self.state = State::TooLarge;
    }

    /// Makes the buffers empty, for the next block.
    pub(crate) fn begin_block(&mut self) {
        self.size = 0;
        let any_is_large = self.data.recycle()
            | self.event_type.recycle()
            | self.id.recycle()
            | self.repaired.recycle()
            | self.last_event_id.is_large()
            | self.type_label.is_large();
        self.last_event_id.end_block(true);
        self.state = if any_is_large { State::Held } else { State::Lent };
    }

    /// The held data, without the LF at its end.
    #[inline]
    pub(crate) fn held_data(&self) -> &[u8] {
        self.data.strip_suffix(b"\n").unwrap_or(&[])
    }

    /// The held data, given away with its buffer.
    pub(crate) fn take_data(&mut self) -> Vec<u8> {
        let mut data = self.data.take();
        data.pop();
        data
    }

    /// The finished event, lent.
    #[inline]
    pub(crate) fn lend<'a>(&'a mut self, ready: &Ready<'a>) -> EventRef<'a> {
        let event_type = if ready.is_typed { self.type_label.as_str() } else { "" };
        let id = self.last_event_id.as_str();
        let data = match ready.data {
            Text::Chunk(data) => data,
            Text::Held => self.data.strip_suffix(b"\n").unwrap_or(&[]),
        };
        let data = match text::valid(data) {
            Some(data) => data,
            None => {
                self.state = State::Dispatched;
                self.repaired.clear();
                text::repair(data, &mut self.repaired);
                &self.repaired
            }
        };
        EventRef::new(event_type, data, id, ready.retry)
    }

    /// The finished event with `data` for its data, owned.
    #[inline]
    pub(crate) fn own(&mut self, is_typed: bool, data: ByteString, retry: Option<Duration>) -> Event {
        let event_type = is_typed.then(|| self.type_label.shared());
        let id = (!self.last_event_id.as_str().is_empty()).then(|| self.last_event_id.shared());
        Event::new(event_type, data, id, retry)
    }
}

#[inline]
fn push_line(buffer: &mut Vec<u8>, line: &[u8]) {
    buffer.reserve(line.len() + 1);
    buffer.extend_from_slice(line);
    buffer.push(b'\n');
}

impl Name {
    const EMPTY: Name = Name { bytes: [0; 6], len: 0 };

    fn field(&self) -> Field {
        Field::named(&self.bytes[..self.len()])
    }

    fn len(&self) -> usize {
        usize::from(self.len)
    }

    /// The name with one more byte; `None` if it is longer than any that is known.
    fn with(mut self, byte: u8) -> Option<Name> {
        let next = self.len();
        *self.bytes.get_mut(next)? = byte;
        self.len += 1;
        Some(self)
    }
}
