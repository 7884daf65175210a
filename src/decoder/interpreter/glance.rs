//! Fast paths for the most common lines.
//!
//! They handle lines in the form that most servers write: ASCII, with a space after the colon, and an LF at the end.
//! Some of them also handle other text and CRLF. Each reads the lines that it can handle and leaves the rest to the
//! next one, and finally to [`Interpreter::read`], which handles everything. A path that returns `false` may
//! therefore have read some lines. benches/history.md has the gain of each.
//!
//! Three rules make them safe:
//!
//! * `Unbuffered` at the start of a call means that no line of the block has been counted.
//! * A path reads a line only if it fits the limit, so only `read` reports an event that is too large.
//! * A path that gives up leaves the state as `read` expects it.

use super::{Interpreter, State};
use crate::decoder::{
    borrowed::{Borrowed, Plain},
    open_line::{Kept, OpenLine},
    scope::Scope,
};
use crate::line::{Part, Scanned, Walk};

/// The beginning of most lines, also of those that [`Walk::lone_line`] passes.
const DATA: &str = "data: ";

/// Off on wasm, where they would add 5 KB, and code size matters more than a few nanoseconds per event. Also off for
/// the tests of the general path alone (`.ci/long streams`).
const IS_ON: bool = !cfg!(any(target_family = "wasm", eventwire_general_path));

impl Interpreter {
    /// The data of the most common event, one data line and a blank line; or the part of that line that the chunk
    /// contains.
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
        // The line end counts as well.
        walk.lone_line(self.size.room().checked_sub(1)?)
    }

    /// Reads the beginning of a [lone line](Interpreter::lone_line).
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(in crate::decoder) fn begin_lone_line(&mut self, head: Scanned<'_>) {
        self.size.add(DATA.len() + head.bytes().len());
        self.begin_data(head);
    }

    /// Reads the beginning of most other chunks: the rest of an open line, then comments. Returns whether the chunk
    /// is used up.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(in crate::decoder) fn take_continuation<S: Scope>(&mut self, walk: &mut Walk<'_>) -> bool {
        IS_ON && (self.rest_of_line::<S>(walk) || !S::HAS_ALL && self.pass_comments(walk))
    }

    /// Reads the blank line of a buffered block. Returns whether it completes an event.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(in crate::decoder) fn take_blank_line<S: Scope>(&mut self, walk: &mut Walk<'_>) -> bool {
        IS_ON
            && self.state == State::Buffered
            && !self.is_strict()
            && (!S::HAS_ALL || self.comment.is_empty())
            && walk.ascii_part_if(|_, line| line.is_empty())
            && self.dispatch_buffered::<S>(None, false)
    }

    /// Begins a data line that continues beyond its chunk.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn begin_data(&mut self, head: Scanned<'_>) {
        self.open = OpenLine::Value(Kept::Data);
        let limit = self.size.limit();
        let buffers = self.buffers();
        buffers.begin_data(limit);
        buffers.data.push(head, limit);
    }

    /// Reads more of an open data line or comment. Returns whether it continues beyond the chunk.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn rest_of_line<S: Scope>(&mut self, walk: &mut Walk<'_>) -> bool {
        let room = || match self.open {
            // The line end counts as well.
            OpenLine::Value(Kept::Data) if self.state == State::Buffered => self.size.room().checked_sub(1),
            OpenLine::Comment if !S::HAS_BOUNDARIES => Some(usize::MAX),
            _ => None,
        };
        let Some((part, text)) = walk.rest_of_line(room) else { return false };
        match part {
            _ if matches!(self.open, OpenLine::Comment) => {}
            Part::Middle => {
                self.size.add(text.bytes().len());
                let limit = self.size.limit();
                self.buffers().data.push(text, limit);
            }
            _ => {
                self.size.add(text.bytes().len() + 1);
                let limit = self.size.limit();
                self.buffers().data.push_line(text, limit);
            }
        }
        part == Part::Middle
    }

    /// Reads a comment between two blocks, and the blank lines before it, if the chunk contains all of them.
    ///
    /// Returns the comment's text.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(in crate::decoder) fn lone_comment<'c>(&mut self, walk: &mut Walk<'c>) -> Option<&'c str> {
        loop {
            if let Some(text) = self.line_between_blocks(walk)? {
                return Some(text);
            }
        }
    }

    /// Reads one comment or blank line between two blocks. Returns the comment's text, or `Some(None)` for a blank
    /// line.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(in crate::decoder) fn line_between_blocks<'c>(&mut self, walk: &mut Walk<'c>) -> Option<Option<&'c str>> {
        if !IS_ON || !self.size.is_zero() || self.state != State::Unbuffered {
            return None;
        }
        let limit = self.size.limit();
        let mut text = None;
        let is_taken = walk.ascii_part_if(|part, line| {
            text = line.strip_prefix(':').filter(|_| line.len() < limit);
            part == Part::Line && (line.is_empty() || text.is_some())
        });
        is_taken.then(|| text.map(|text| text.strip_prefix(' ').unwrap_or(text)))
    }

    /// Passes comments and blank lines between two blocks. Returns whether the chunk contained nothing else.
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

    /// Reads the first lines of a block as long as each sets a different value. The values stay in registers.
    /// Returns whether the lines completed an event.
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

    /// Reads data lines after the first one. The last may go on beyond the chunk. Returns whether it does.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(in crate::decoder) fn more_lines(&mut self, walk: &mut Walk<'_>, plain: &mut Plain<'_>) -> bool {
        // The first data line of a block stays in its chunk.
        if !IS_ON || plain.data.is_none() && self.buffers.data.is_empty() {
            return false;
        }
        let (mut size, room, limit) = (0, self.size.room(), self.size.limit());
        let mut is_cut = false;
        let buffers = &mut self.buffers;
        while walk.ascii_part_if(|part, line| {
            let with_line = size + line.len() + 1;
            let Some(value) = line.strip_prefix(DATA).filter(|_| with_line <= room).map(Scanned::from) else {
                return false;
            };
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
            self.open = OpenLine::Value(Kept::Data);
            self.buffers.take_over(&mut Borrowed::from(*plain), limit);
        }
        self.size.add(size);
        self.buffers();
        is_cut
    }
}
