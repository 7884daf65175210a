//! The end of the stream, and what it leaves unfinished.

use super::{Line, Open, Rewriter, Rule};
use crate::{decoder::Eof, event::BlockItem};
use core::{mem, time::Duration};

impl Rewriter {
    /// Does the next step of ending the stream. Returns whether there may be another step, to be done after
    /// [`next`](Rewriter::next) has returned all output.
    pub(in super::super) fn end(&mut self, rule: &mut Rule<'_>) -> bool {
        if self.lines.is_within_line() {
            self.end_line(rule);
            return true;
        }
        match self.block {
            Open::Start => {
                self.start_without_bom();
                true
            }
            Open::Held { .. } if self.decoder.eof() == Eof::Dispatch => {
                // A CR and the LF of a blank line would be one line end, so another LF is needed.
                let end: &[u8] = if self.held.last() == Some(&b'\r') { b"\n\n" } else { b"\n" };
                self.held.extend_from_slice(end);
                self.block = Open::Skipped;
                self.with_more_room(|rewriter| rewriter.decide_block(rule));
                true
            }
            Open::Held { .. } => {
                // The block is not complete, so the decoder does not return anything yet.
                let _ = self.decoder.decode_block(&mut &*self.held);
                self.held.clear();
                self.block = Open::Finishing;
                true
            }
            Open::Finishing => self.finish(rule),
            _ => false,
        }
    }

    /// Ends the open line, as [`Eof::Dispatch`] does. With another setting, leaves it unchanged.
    fn end_line(&mut self, rule: &mut Rule<'_>) {
        self.lines.lines(b"\n").for_each(drop);
        let is_dispatched = self.decoder.eof() == Eof::Dispatch;
        match self.line {
            Line::Comment if is_dispatched && self.block != Open::Passed => {
                self.comment.push(b'\n');
                self.with_more_room(|rewriter| rewriter.decide_comment(0..0, rule));
            }
            Line::PassedComment if is_dispatched => self.output.push(&self.chunk, b"\n", 0),
            Line::PassedComment => self.line = Line::CutOffComment,
            Line::Field if is_dispatched && matches!(self.block, Open::Held { .. }) => self.held.push(b'\n'),
            _ => {}
        }
    }

    /// Calls `work` with a limit that leaves room for the missing line end.
    fn with_more_room<T>(&mut self, work: impl FnOnce(&mut Rewriter) -> T) -> T {
        let limit = self.decoder.max_event_size();
        self.decoder = mem::take(&mut self.decoder).with_max_event_size(limit.saturating_add(1));
        let outcome = work(self);
        self.decoder = mem::take(&mut self.decoder).with_max_event_size(limit);
        outcome
    }

    /// Returns the reconnection time in `lines`, the bytes of a block before it became too large.
    pub(super) fn retry_of(&mut self, lines: &[&[u8]]) -> Option<Duration> {
        let eof = self.decoder.eof();
        // A block that is discarded at the end still returns its reconnection time.
        self.decoder = mem::take(&mut self.decoder).with_eof(Eof::Discard);
        for bytes in lines {
            self.decoder.decode_chunk(bytes, |_| {});
        }
        let mut retry = None;
        while let Ok(Some(block)) = self.decoder.finish_block() {
            if let BlockItem::Block(block) = block {
                retry = block.retry();
            }
        }
        self.decoder = mem::take(&mut self.decoder).with_eof(eof);
        self.expect_blocks();
        retry
    }

    /// Decides what the decoder returns for an unfinished block: a reconnection time, which takes effect, or an error.
    fn finish(&mut self, rule: &mut Rule<'_>) -> bool {
        match self.decoder.finish_block() {
            Ok(None) => return false,
            // The decoder returns nothing for a block that is not complete.
            Ok(Some(_)) => {}
            Err(error) => self.error = Some(error),
        }
        true
    }
}
