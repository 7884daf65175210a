//! From lines to events: [interpreting an event stream], with the standard's buffers.
//!
//! A block is the lines up to a blank one. A value of it that lies whole in its chunk is [`Borrowed`] as long as the
//! chunk lasts; what has to outlive the chunk, or is put together from pieces, is copied into the buffers.
//!
//! Most lines of most streams need little of this: `glance.rs` takes them in first.
//!
//! [interpreting an event stream]: https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation

mod finished_event;
mod glance;
mod partial_lines;

use super::{
    DecodeError, Eof,
    block_buffers::BlockBuffers,
    borrowed::Borrowed,
    digits::Digits,
    last_event_id::LastEventId,
    open_line::OpenLine,
    progress::Progress,
    recent_type::RecentType,
    size::{Size, TooLarge},
    text_buffer::TextBuffer,
    utf8,
};
use crate::{
    event::Event,
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
    /// The one that earlier blocks have set.
    reconnection_time: Option<Duration>,
    /// `None` until there is one. An empty ID is one too: it is what a stream has cleared.
    last_event_id: Option<LastEventId>,
    recent_type: RecentType,
    /// Text that had to be repaired before it could be borrowed.
    repaired: Repaired,
}

/// What becomes of the present block.
///
/// Most events are borrowed from their chunk and leave the buffers as they are. Checking this one enum replaces
/// checking every buffer after each event (DESIGN.md has the figure).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// The buffers are empty. At the start of a call it means that no line of the block has been counted.
    Unbuffered,
    /// The block's end needs the buffers, the reconnection time or the size.
    Buffered,
    /// Its event is out, whose text may still be borrowed from the buffers: they are emptied when the next block
    /// begins.
    Dispatched,
    /// It has gone over the limit; its lines are passed over up to the blank one.
    TooLarge,
}

#[derive(Clone, Debug, Default)]
struct Repaired {
    /// Of the type; for a moment, of the ID.
    label: TextBuffer,
    data: TextBuffer,
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
            repaired: Repaired::default(),
        }
    }

    pub(super) fn set_limit(&mut self, limit: usize) {
        self.size.set_limit(limit);
    }

    #[inline]
    pub(super) fn last_event_id(&self) -> &str {
        self.last_event_id.as_ref().map_or("", LastEventId::as_str)
    }

    /// The last valid `retry`, which counts before its block is over.
    pub(super) fn reconnection_time(&self) -> Option<Duration> {
        self.retry.or(self.reconnection_time)
    }

    /// Whether no block is open: there has been no data, event or id line since the last one ended.
    pub(super) fn is_between_blocks(&self) -> bool {
        self.size.is_zero() && self.state != State::TooLarge
    }

    /// Takes in lines up to the blank one that completes an event, or to the end of the chunk.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn read<'c>(&mut self, walk: &mut Walk<'c>, borrowed: &mut Borrowed<'c>) -> Progress {
        match self.state {
            State::Unbuffered | State::Buffered => {}
            State::Dispatched => self.begin_block(),
            State::TooLarge => {
                let mut copy = *walk;
                self.pass_over(&mut copy);
                *walk = copy;
            }
        }
        self.interpret(walk, borrowed).unwrap_or_else(|TooLarge| {
            self.refuse_block();
            Progress::TooLarge
        })
    }

    /// Takes in the rest of a block that is too large, up to its blank line.
    #[cold]
    fn pass_over(&mut self, walk: &mut Walk<'_>) {
        while let Some((part, text)) = walk.part() {
            if part == Part::Line && text.bytes().is_empty() {
                self.begin_block();
                break;
            }
        }
    }

    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn interpret<'c>(&mut self, walk: &mut Walk<'c>, borrowed: &mut Borrowed<'c>) -> Result<Progress, TooLarge> {
        loop {
            let line = match walk.part() {
                Some((Part::Line, line)) => line,
                Some((part, text)) => {
                    self.part(part, text, borrowed)?;
                    continue;
                }
                None => break,
            };
            match line.bytes() {
                [] => {
                    if self.dispatch(borrowed) {
                        return Ok(Progress::Event);
                    }
                }
                // Comments first: a stream may consist of little else.
                [b':', ..] => {}
                _ => self.line(line, borrowed)?,
            }
        }
        self.buffer(borrowed);
        Ok(Progress::NeedsMore)
    }

    /// Takes in a line that lies whole in the chunk and is neither blank nor a comment.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn line<'c>(&mut self, line: Scanned<'c>, borrowed: &mut Borrowed<'c>) -> Result<(), TooLarge> {
        let Some((field, value)) = line.field() else { return Ok(()) };
        match field {
            Field::Comment | Field::Other => return Ok(()),
            Field::Retry => {
                self.end_retry(Digits::Empty.fold(value.bytes()));
                return Ok(());
            }
            Field::Data | Field::EventType | Field::Id => {}
        }
        self.size.count(line.bytes().len() + 1)?;
        match field {
            Field::Data => match borrowed.data.take() {
                Some(first) => self.buffer_lines(first, value),
                None if self.state == State::Unbuffered || self.buffers.data.is_empty() => borrowed.data = Some(value),
                None => self.buffers().data.push_line(value),
            },
            Field::EventType => borrowed.event_type = Some(value),
            // One with a NUL is ignored. What the walk knows to be ASCII has none.
            Field::Id if value.text().is_some() || !value.bytes().contains(&0) => borrowed.id = Some(value),
            _ => {}
        }
        Ok(())
    }

    /// Puts the first two data lines into the buffer.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn buffer_lines(&mut self, first: Scanned<'_>, second: Scanned<'_>) {
        let buffers = self.buffers();
        buffers.data.push_line(first);
        buffers.data.push_line(second);
    }

    /// Marks the buffers as in use, so that the block's end looks at them, and returns them.
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

    /// Copies what is borrowed into the buffers: the chunk ends.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn buffer(&mut self, borrowed: &mut Borrowed<'_>) {
        if borrowed.data.is_some() || borrowed.event_type.is_some() || borrowed.id.is_some() {
            self.buffers().take_over(borrowed);
        } else if !self.size.is_zero() {
            self.buffers();
        }
    }

    /// Ends the block at its blank line: its ID takes hold. Returns whether there is an event, which there is if it has
    /// data.
    ///
    /// The event's text stays where it is until [`begin_block`](Interpreter::begin_block).
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn dispatch(&mut self, borrowed: &mut Borrowed<'_>) -> bool {
        let id = borrowed.id;
        let valid_id = id.and_then(utf8::valid);
        let has_event = if self.state != State::Unbuffered || id.is_some() != valid_id.is_some() {
            self.dispatch_buffered(id, borrowed.data.is_some())
        } else {
            self.size.clear();
            if let Some(id) = valid_id {
                self.last_event_id.get_or_insert_default().set(id);
            }
            borrowed.data.is_some()
        };
        if !has_event {
            *borrowed = Borrowed::default();
        }
        has_event
    }

    /// The same where buffers are in use or a borrowed ID is not UTF-8, and where the stream ends.
    #[inline(never)]
    fn dispatch_buffered(&mut self, id: Option<Scanned<'_>>, has_borrowed_data: bool) -> bool {
        if let Some(id) = id.or_else(|| self.buffers.id()) {
            self.last_event_id.get_or_insert_default().set(self.repaired.label.repaired(id));
        }
        if !has_borrowed_data && self.buffers.data.is_empty() {
            self.begin_block();
            return false;
        }
        self.size.clear();
        self.state = State::Dispatched;
        true
    }

    /// Sets the ID, or that there is none.
    pub(super) fn replace_last_event_id(&mut self, id: Option<&str>) {
        match id {
            Some(id) => self.last_event_id.get_or_insert_default().set(id),
            None => self.last_event_id = None,
        }
    }

    /// Discards what the block holds, but for a reconnection time, which counts already. The block stays open.
    pub(super) fn discard(&mut self) {
        self.reconnection_time = self.reconnection_time();
        self.retry = None;
        self.open = OpenLine::START;
        self.size.clear();
        self.buffers().clear();
    }

    /// Discards a block that is too large, and what is still to come of it.
    fn refuse_block(&mut self) {
        self.discard();
        self.state = State::TooLarge;
    }

    pub(super) fn too_large(&self) -> DecodeError {
        DecodeError::EventTooLarge { limit: self.size.limit() }
    }

    /// Makes the buffers empty, for the next block.
    fn begin_block(&mut self) {
        self.size.clear();
        self.reconnection_time = self.reconnection_time();
        self.retry = None;
        // A large buffer is looked at after each block until it is given back.
        let is_large = self.buffers.recycle() | self.repaired.label.recycle() | self.repaired.data.recycle();
        self.state = if is_large { State::Buffered } else { State::Unbuffered };
    }

    /// What becomes of the unfinished rest of a stream that ends here.
    pub(super) fn finish(&mut self, eof: Eof, splitter: &LineSplitter) -> Result<Option<Event>, DecodeError> {
        match eof {
            Eof::Discard => Ok(None),
            Eof::Dispatch => self.dispatch_unfinished(splitter),
            Eof::Error if self.is_cut_off(splitter) => Err(DecodeError::UnexpectedEof),
            Eof::Error => Ok(None),
        }
    }

    /// Whether the stream ends inside something that is not a comment.
    fn is_cut_off(&self, splitter: &LineSplitter) -> bool {
        let is_in_comment = matches!(self.open, OpenLine::Space(Field::Comment) | OpenLine::Comment);
        self.state != State::TooLarge && (!self.is_between_blocks() || splitter.is_within_line() && !is_in_comment)
    }

    fn dispatch_unfinished(&mut self, splitter: &LineSplitter) -> Result<Option<Event>, DecodeError> {
        if matches!(self.state, State::Dispatched | State::TooLarge) {
            return Ok(None);
        }
        if splitter.is_within_line() && self.end_line_at_eof().is_err() {
            return Err(self.too_large());
        }
        if !self.dispatch_buffered(None, false) {
            return Ok(None);
        }
        Ok(Some(self.own_buffered()))
    }
}
