//! What the function makes of a whole block, or of a comment.

use super::{Comments, Edit, LateLf, Rewriter, Rule, output};
use crate::{
    decoder::{DecodeError, Decoder},
    event::BlockRef,
};
use alloc::vec::Vec;
use core::{mem, ops::Range};

impl Rewriter {
    /// Decides the open block, whose blank line has come.
    pub(super) fn decide_block(&mut self, rule: &mut Rule<'_>) -> LateLf {
        let mut held = mem::take(&mut self.held);
        let fate = self.decide(&mut held, self.from..self.at, rule);
        self.held = held;
        fate.late_lf()
    }

    /// Decides the open comment, whose last bytes are at this place of the chunk.
    pub(super) fn decide_comment(&mut self, place: Range<usize>, rule: &mut Rule<'_>) -> LateLf {
        let mut comment = mem::take(&mut self.comment);
        let fate = self.decide(&mut comment, place, rule);
        self.comment = comment;
        // What was written in its place has a blank line of its own.
        self.note_comment(if fate.is_kept { Comments::Kept } else { Comments::Removed });
        fate.late_lf()
    }

    /// Decides a block whose bytes are those in the buffer and, after them, those at this place of the chunk.
    fn decide(&mut self, buffer: &mut Vec<u8>, place: Range<usize>, rule: &mut Rule<'_>) -> Fate {
        let in_chunk = self.chunk.get(place.clone()).unwrap_or_default();
        if !buffer.is_empty() {
            output::extend(buffer, in_chunk, self.largest_held());
        }
        let bytes = if buffer.is_empty() { in_chunk } else { &**buffer };
        let outcome = ask(&mut self.decoder, bytes, &mut self.written, rule);
        let is_kept = outcome == Ok(true);
        if is_kept && buffer.is_empty() {
            self.output.keep(&self.chunk, place);
        } else if is_kept {
            self.output.push_buffer(&self.chunk, buffer);
        } else {
            output::clear(buffer);
        }
        self.error = outcome.err();
        Fate { is_kept, is_written: self.write(is_kept) }
    }

    /// Passes on what the function wrote, if anything.
    pub(super) fn write(&mut self, is_kept: bool) -> bool {
        let is_written = !self.written.is_empty();
        if is_written {
            self.output.push_buffer(&self.chunk, &mut self.written);
        } else if !is_kept {
            self.output.note_removed();
        }
        is_written
    }
}

/// What became of a block.
struct Fate {
    /// Its bytes were passed on.
    is_kept: bool,
    /// The function wrote something after it, or in its place.
    is_written: bool,
}

impl Fate {
    fn late_lf(&self) -> LateLf {
        if self.is_kept && !self.is_written { LateLf::PassOn } else { LateLf::Remove }
    }
}

/// Asks the function about a whole block. Returns whether its bytes are kept; what is to follow them is `written`.
fn ask(decoder: &mut Decoder, bytes: &[u8], written: &mut Vec<u8>, rule: &mut Rule<'_>) -> Result<bool, DecodeError> {
    let mut outcome = Ok(true);
    let mut has_fields = false;
    decoder.decode_chunk(bytes, |block| match block {
        Ok(block) => {
            has_fields |= !is_whole(&block);
            let is_kept = ask_one(block, written, rule);
            outcome = outcome.map(|before| before && is_kept);
        }
        Err(error) => {
            written.clear();
            outcome = Err(error);
        }
    });
    if has_fields && outcome == Ok(true) {
        // They need not be written anew.
        written.clear();
    }
    outcome
}

/// Asks the function about one thing that a block says. Returns whether it stays, with nothing after it if it is one of
/// several.
///
/// A block without data may say several things, of which some stay: those are written anew.
pub(super) fn ask_one(block: BlockRef<'_>, written: &mut Vec<u8>, rule: &mut Rule<'_>) -> bool {
    let is_whole = is_whole(&block);
    let start = written.len();
    if !is_whole {
        block.encode(written);
    }
    let end = written.len();
    let mut edit = Edit::new(written);
    rule(block, &mut edit);
    let is_removed = edit.is_removed();
    let is_followed = written.len() != end;
    if is_removed {
        written.drain(start..end);
    }
    !is_removed && (is_whole || !is_followed)
}

/// Whether a block says nothing besides this.
fn is_whole(block: &BlockRef<'_>) -> bool {
    matches!(block, BlockRef::Event(_) | BlockRef::Comment(_))
}
