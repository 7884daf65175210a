//! Calls the function with a complete block or comment.

use super::{Comments, Edit, LateLf, Line, Rewriter, Rule, output};
use crate::{
    decoder::{DecodeError, Decoder},
    event::{Block, BlockItemRef},
};
use alloc::vec::Vec;
use core::{mem, ops::Range, time::Duration};

impl Rewriter {
    /// Decides the open block, whose blank line has just been read.
    pub(super) fn decide_block(&mut self, rule: &mut Rule<'_>) -> LateLf {
        let mut held = mem::take(&mut self.held);
        let fate = self.decide(&mut held, self.from..self.at, rule);
        self.held = held;
        fate.late_lf()
    }

    /// Decides the open comment, whose last bytes are at `place` in the chunk.
    pub(super) fn decide_comment(&mut self, place: Range<usize>, rule: &mut Rule<'_>) -> LateLf {
        let mut comment = mem::take(&mut self.comment);
        let fate = self.decide(&mut comment, place, rule);
        self.comment = comment;
        // Blocks that were written in its place have their own blank lines.
        self.note_comment(if fate.is_kept { Comments::Kept } else { Comments::Removed });
        fate.late_lf()
    }

    /// Decides a block whose bytes are those in the buffer, followed by those at `place` in the chunk.
    fn decide(&mut self, buffer: &mut Vec<u8>, place: Range<usize>, rule: &mut Rule<'_>) -> Fate {
        let in_chunk = self.chunk.get(place.clone()).unwrap_or_default();
        if !buffer.is_empty() {
            output::extend(buffer, in_chunk, self.largest_held());
        }
        let bytes = if buffer.is_empty() { in_chunk } else { &**buffer };
        let end = place.end;
        let outcome = ask(&mut self.decoder, bytes, &mut self.written, &mut self.refused_retry, rule);
        let is_kept = outcome == Ok(true);
        if is_kept && buffer.is_empty() {
            self.output.keep(&self.chunk, place, self.rest());
        } else if is_kept {
            self.output.push_buffer(&self.chunk, buffer, self.rest());
        } else {
            output::clear(buffer);
        }
        self.error = outcome.err();
        if is_kept && !self.written.is_empty() {
            self.keep_lf(end);
        }
        Fate { is_kept, is_written: self.write(is_kept) }
    }

    /// Decides a reconnection time whose block is otherwise lost.
    pub(super) fn decide_retry(&mut self, time: Duration, rule: &mut Rule<'_>) {
        let block = Block::default().with_retry(time);
        ask_one(BlockItemRef::Block((&block).into()), &mut self.written, rule);
        if self.line == Line::CutOffComment && !self.written.is_empty() {
            self.line = Line::Blank;
            self.output.push(&self.chunk, b"\n", 0);
        }
        self.write(false);
    }

    /// Passes on the LF after a kept line that ends at `end` with a CR, if the LF is in the chunk, so that what is
    /// written follows the LF.
    fn keep_lf(&mut self, end: usize) {
        let lf = end..end.saturating_add(1);
        if end.checked_sub(1).and_then(|cr| self.chunk.get(cr..lf.end)) == Some(b"\r\n") {
            self.output.keep(&self.chunk, lf, self.rest());
        }
    }

    /// Passes on what the function wrote. Returns whether it wrote anything.
    fn write(&mut self, is_kept: bool) -> bool {
        let is_written = !self.written.is_empty();
        if is_written {
            let rest = self.rest();
            self.output.push_written(&self.chunk, &mut self.written, rest);
        } else if !is_kept {
            self.output.note_removed();
        }
        is_written
    }
}

/// What happened to a block.
struct Fate {
    /// Its bytes were passed on.
    is_kept: bool,
    /// The function wrote something after it, or in its place. An LF that arrives after that is removed.
    is_written: bool,
}

impl Fate {
    fn late_lf(&self) -> LateLf {
        if self.is_kept && !self.is_written { LateLf::PassOn } else { LateLf::Remove }
    }
}

/// Decodes a complete block, and calls the function with everything that it contains. Returns whether its bytes are
/// kept.
///
/// What follows the bytes, or replaces them, is in `written`. A block that is an error may have a reconnection time,
/// which still takes effect.
fn ask(
    decoder: &mut Decoder,
    bytes: &[u8],
    written: &mut Vec<u8>,
    refused_retry: &mut Option<Duration>,
    rule: &mut Rule<'_>,
) -> Result<bool, DecodeError> {
    let mut outcome = Ok(true);
    let mut anew = Vec::new();
    decoder.decode_chunk(bytes, |block| match block {
        Ok(BlockItemRef::Block(block)) if outcome.is_err() => *refused_retry = block.retry(),
        Ok(block) => {
            let kept = ask_one(block, written, rule);
            outcome = outcome.map(|before| before && kept.is_some());
            anew.extend(kept.filter(|place| !place.is_empty()));
        }
        Err(error) => outcome = Err(error),
    });
    if outcome == Ok(true) {
        // All bytes are kept, so nothing has to be encoded again.
        for place in anew.into_iter().rev() {
            written.drain(place);
        }
    }
    outcome
}

/// Calls the function with one item of a block. If the item is kept, returns the place in `written` where it is
/// encoded.
///
/// A block without data may contain several items. If only some of them are kept, those are encoded again.
fn ask_one(block: BlockItemRef<'_>, written: &mut Vec<u8>, rule: &mut Rule<'_>) -> Option<Range<usize>> {
    let start = written.len();
    let anew = start..written.len();
    let mut edit = Edit::new(written);
    rule(block, &mut edit);
    if edit.is_removed() {
        written.drain(anew);
        return None;
    }
    Some(anew)
}
