//! What the end of the stream leaves unfinished.

use super::{Line, Open, Rewriter, Rule};
use crate::{decoder::Eof, event::Block};
use core::{mem, time::Duration};

impl Rewriter {
    /// Goes on with ending the stream. Returns whether there may be more to do, once [`next`](Rewriter::next) has given
    /// what there is.
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
                // A CR and the LF of a blank line would be one line end.
                let end: &[u8] = if self.held.last() == Some(&b'\r') { b"\n\n" } else { b"\n" };
                self.held.extend_from_slice(end);
                self.block = Open::Skipped;
                self.with_more_room(|rewriter| rewriter.decide_block(rule));
                true
            }
            Open::Held { .. } => {
                // The block is not complete, so nothing comes out of it yet.
                let _ = self.decoder.decode_block(&mut &*self.held);
                self.held.clear();
                self.block = Open::Finishing;
                true
            }
            Open::Finishing => self.finish(rule),
            _ => false,
        }
    }

    /// Ends the line that is open, as [`Eof::Dispatch`] does, or leaves it as it is.
    fn end_line(&mut self, rule: &mut Rule<'_>) {
        self.lines.lines(b"\n").for_each(drop);
        let is_dispatched = self.decoder.eof() == Eof::Dispatch;
        match self.line {
            Line::Comment if is_dispatched && self.block != Open::Passed => {
                self.comment.push(b'\n');
                self.with_more_room(|rewriter| rewriter.decide_comment(0..0, rule));
            }
            Line::PassedComment if is_dispatched => self.output.push(&self.chunk, b"\n"),
            Line::PassedComment => self.line = Line::CutOffComment,
            Line::Field if is_dispatched && matches!(self.block, Open::Held { .. }) => self.held.push(b'\n'),
            _ => {}
        }
    }

    /// Does this with a limit that leaves room for the line end that the stream did not have.
    fn with_more_room<T>(&mut self, work: impl FnOnce(&mut Rewriter) -> T) -> T {
        let limit = self.decoder.max_event_size();
        self.decoder = mem::take(&mut self.decoder).with_max_event_size(limit.saturating_add(1));
        let outcome = work(self);
        self.decoder = mem::take(&mut self.decoder).with_max_event_size(limit);
        outcome
    }

    /// The reconnection time of a block that is too large, of whose lines these have come before it was.
    pub(super) fn retry_of(&mut self, lines: &[&[u8]]) -> Option<Duration> {
        let eof = self.decoder.eof();
        // A block that is dropped at the end still has its reconnection time.
        self.decoder = mem::take(&mut self.decoder).with_eof(Eof::Discard);
        for bytes in lines {
            self.decoder.decode_chunk(bytes, |_| {});
        }
        let mut retry = None;
        while let Ok(Some(block)) = self.decoder.finish_block() {
            if let Block::Retry(time) = block {
                retry = Some(time);
            }
        }
        self.decoder = mem::take(&mut self.decoder).with_eof(eof);
        self.expect_blocks();
        retry
    }

    /// Asks the decoder for what it makes of an unfinished block: a reconnection time that holds already, or an error.
    fn finish(&mut self, rule: &mut Rule<'_>) -> bool {
        match self.decoder.finish_block() {
            Ok(None) => return false,
            Ok(Some(Block::Retry(time))) => self.decide_retry(time, rule),
            // Nothing else comes out of a block that is not complete.
            Ok(Some(_)) => {}
            Err(error) => self.error = Some(error),
        }
        true
    }
}
