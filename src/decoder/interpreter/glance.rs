//! Fast paths for what most streams consist of.
//!
//! They know lines as most servers write them: a space after the colon, ASCII, and an LF at the end; some of them also
//! know other text and CRLF. Each takes in what it knows, and leaves the rest to the next one, and in the end to
//! [`Interpreter::read`], which knows everything. So one that returns `false` may have taken in something all the same.
//! DESIGN.md has what each of them gains.

use super::{Interpreter, State};
use crate::decoder::{
    borrowed::{Borrowed, Plain},
    open_line::{Kept, OpenLine},
    scope::Scope,
};
use crate::line::{Part, Scanned, Walk};

/// Off on wasm, where they would add 5 KB, and size matters more than a few nanoseconds an event. Off as well where the
/// tests are to see the general path alone (`.ci/long streams`).
const IS_ON: bool = !cfg!(any(target_family = "wasm", eventwire_general_path));

/// The beginning of most lines.
const DATA: &str = "data: ";

impl Interpreter {
    /// The data of the most common event, one data line and a blank line, or as much of that line as the chunk has.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(in crate::decoder) fn lone_line<'c>(&mut self, walk: &mut Walk<'c>) -> Option<(Part, Scanned<'c>)> {
        if !IS_ON {
            return None;
        }
        if self.state == State::Dispatched {
            self.begin_block();
        }
        if self.state != State::Unbuffered {
            return None;
        }
        // Its line end counts too.
        walk.lone_line(DATA.as_bytes(), self.size.room().checked_sub(1)?)
    }

    /// Takes in the beginning of a [lone line](Interpreter::lone_line).
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(in crate::decoder) fn begin_lone_line(&mut self, head: Scanned<'_>) {
        self.size.add(DATA.len() + head.bytes().len());
        self.begin_data(head);
    }

    /// Takes in what most other chunks begin with: the rest of an open line, then comments. Returns whether the chunk
    /// is used up.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(in crate::decoder) fn take_continuation<S: Scope>(&mut self, walk: &mut Walk<'_>) -> bool {
        IS_ON && (self.rest_of_line(walk) || !S::HAS_ALL && self.pass_comments(walk))
    }

    /// Takes in the blank line of a buffered block. Returns whether it completes an event.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(in crate::decoder) fn take_blank_line<S: Scope>(&mut self, walk: &mut Walk<'_>) -> bool {
        IS_ON
            && self.state == State::Buffered
            && !self.is_strict()
            && walk.ascii_part_if(|_, line| line.is_empty())
            && self.dispatch_buffered::<S>(None, false)
    }

    /// Begins a data line that goes on beyond its chunk.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn begin_data(&mut self, head: Scanned<'_>) {
        self.open = OpenLine::Value(Kept::Data);
        let data = &mut self.buffers().data;
        data.begin_line();
        data.push(head);
    }

    /// Takes in more of an open data line or comment. Returns whether that goes on beyond the chunk.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn rest_of_line(&mut self, walk: &mut Walk<'_>) -> bool {
        let room = || match self.open {
            // Its line end counts too.
            OpenLine::Value(Kept::Data) if self.state == State::Buffered => self.size.room().checked_sub(1),
            OpenLine::Comment => Some(usize::MAX),
            _ => None,
        };
        let Some((part, text)) = walk.rest_of_line(room) else { return false };
        match part {
            _ if matches!(self.open, OpenLine::Comment) => {}
            Part::Middle => {
                self.size.add(text.bytes().len());
                self.buffers().data.push(text);
            }
            _ => {
                self.size.add(text.bytes().len() + 1);
                self.buffers().data.push_line(text);
            }
        }
        part == Part::Middle
    }

    /// Takes in a comment between two blocks, and the blank lines before it, if they are whole in the chunk.
    ///
    /// Returns what the comment says.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(in crate::decoder) fn lone_comment<'c>(&mut self, walk: &mut Walk<'c>) -> Option<&'c str> {
        if !IS_ON || !self.size.is_zero() || self.state != State::Unbuffered {
            return None;
        }
        let limit = self.size.limit();
        loop {
            let mut text = None;
            let is_taken = walk.ascii_part_if(|part, line| {
                text = line.strip_prefix(':').filter(|_| line.len() < limit);
                part == Part::Line && (line.is_empty() || text.is_some())
            });
            match text {
                _ if !is_taken => return None,
                Some(text) => return Some(text.strip_prefix(' ').unwrap_or(text)),
                None => {}
            }
        }
    }

    /// Passes comments and blank lines between two blocks. Returns whether that was the whole chunk.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn pass_comments(&mut self, walk: &mut Walk<'_>) -> bool {
        if !self.size.is_zero() || self.state != State::Unbuffered {
            return false;
        }
        let last = walk.pass_comments();
        if last == Some(Part::Head) {
            self.open = OpenLine::Comment;
        }
        last.is_some()
    }

    /// Takes in the first lines of a block, as long as each sets another value, which stay in registers. Returns
    /// whether they completed an event.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(in crate::decoder) fn plain_lines<'c>(&mut self, walk: &mut Walk<'c>, plain: &mut Plain<'c>) -> bool {
        if !IS_ON || self.state != State::Unbuffered {
            return false;
        }
        let (mut size, limit) = (0, self.size.limit());
        while walk.ascii_part_if(|part, line| {
            let with_line = size + line.len() + 1;
            let is_set = part == Part::Line && with_line <= limit && plain.set(line);
            size = if is_set { with_line } else { size };
            is_set
        }) {}
        if plain.data.is_some() && walk.ascii_part_if(|_, line| line.is_empty()) {
            if let Some(id) = plain.id {
                self.last_event_id.get_or_insert_default().set(id);
            }
            return true;
        }
        self.size.add(size);
        false
    }

    /// Takes in data lines after the first one, the last of which may go on beyond the chunk. Returns whether it does.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(in crate::decoder) fn more_lines(&mut self, walk: &mut Walk<'_>, plain: &mut Plain<'_>) -> bool {
        // The first data line of a block stays in its chunk.
        if !IS_ON || plain.data.is_none() && self.buffers.data.is_empty() {
            return false;
        }
        let (mut size, room) = (0, self.size.room());
        let mut is_cut = false;
        let data = &mut self.buffers.data;
        while walk.ascii_part_if(|part, line| {
            let with_line = size + line.len() + 1;
            let Some(value) = line.strip_prefix(DATA).filter(|_| with_line <= room).map(Scanned::from) else {
                return false;
            };
            if let Some(first) = plain.data.take() {
                data.push_line(Scanned::from(first));
            }
            if part == Part::Line {
                data.push_line(value);
            } else {
                data.begin_line();
                data.push(value);
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
            self.open = OpenLine::Value(Kept::Data);
            self.buffers.take_over(&mut Borrowed::from(*plain));
        }
        self.size.add(size);
        self.buffers();
        is_cut
    }
}
