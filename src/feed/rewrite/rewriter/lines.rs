//! What each kind of line adds to its block.

use super::{Comments, DecodeError, LateLf, Line, Open, Oversize, Part, Rewriter, Rule, mem, output};

impl Rewriter {
    pub(super) fn pass_late_lf(&mut self, late_lf: LateLf) {
        let place = self.at..self.at + 1;
        self.at = place.end;
        if late_lf == LateLf::PassOn {
            self.output.keep(&self.chunk, place, self.rest());
        }
        if late_lf != LateLf::Hold {
            self.from = self.at;
        }
    }

    pub(super) fn field(&mut self, part: &Part) -> LateLf {
        if let Open::Between(_) = self.block {
            self.block = Open::Held { size: 0 };
            self.from = part.place.start;
        }
        match self.block {
            Open::Held { .. } => self.grow(part.place.len()),
            Open::Passed => {
                self.output.keep(&self.chunk, part.place.clone(), self.rest());
                LateLf::PassOn
            }
            _ => LateLf::Remove,
        }
    }

    /// Adds to the size of the buffered block. If the block is too large now, it is removed or passed on.
    pub(super) fn grow(&mut self, len: usize) -> LateLf {
        let Open::Held { size } = &mut self.block else { return LateLf::Remove };
        *size = size.saturating_add(len);
        let limit = self.decoder.max_event_size();
        if *size <= limit {
            return LateLf::Hold;
        }
        match self.oversize {
            Oversize::Error => {
                self.block = Open::Skipped;
                self.error = Some(DecodeError::EventTooLarge { limit });
                let held = mem::take(&mut self.held);
                let chunk = self.chunk.clone();
                let before = chunk.get(self.from..self.at.saturating_sub(len)).unwrap_or_default();
                self.refused_retry = self.retry_of(&[&held, before]);
                self.held = held;
                self.output.note_removed();
                output::clear(&mut self.held);
                LateLf::Remove
            }
            Oversize::Pass => {
                self.block = Open::Passed;
                self.hold(self.at);
                let rest = self.chunk.len() - self.at;
                self.output.push_buffer(&self.chunk, &mut self.held, rest);
                LateLf::PassOn
            }
        }
    }

    /// Copies the bytes of the open block up to `end` out of the chunk.
    pub(super) fn hold(&mut self, end: usize) {
        let largest = self.largest_held();
        output::extend(&mut self.held, self.chunk.get(self.from..end).unwrap_or_default(), largest);
        self.from = end;
    }

    /// Returns how many bytes of a block are buffered at most. A block may have more bytes than its size, which
    /// counts CR LF as one byte.
    pub(super) fn largest_held(&self) -> usize {
        let limit = self.decoder.max_event_size();
        limit.saturating_add(limit / 2)
    }

    pub(super) fn blank_line(&mut self, part: &Part, rule: &mut Rule<'_>) -> LateLf {
        match mem::replace(&mut self.block, Open::Between(Comments::None)) {
            Open::Held { .. } => {
                let is_lf = self.chunk.get(part.place.start) == Some(&b'\n');
                // A comment between the CR and this LF was removed from the buffer. Without it, this LF would belong to
                // the CR.
                if is_lf && self.from == part.place.start && self.held.last() == Some(&b'\r') {
                    self.held.push(b'\n');
                }
                self.decide_block(rule)
            }
            Open::Skipped | Open::Between(Comments::Removed) => LateLf::Remove,
            _ => {
                self.output.keep(&self.chunk, part.place.clone(), self.rest());
                LateLf::PassOn
            }
        }
    }

    pub(super) fn comment(&mut self, part: &Part, rule: &mut Rule<'_>) -> LateLf {
        if self.block == Open::Passed {
            self.output.keep(&self.chunk, part.place.clone(), self.rest());
            return LateLf::PassOn;
        }
        if let Open::Held { .. } = self.block {
            self.hold(part.place.start);
            self.from = part.place.end;
        }
        let limit = self.decoder.max_event_size();
        match self.line {
            Line::Comment if self.comment.len() + part.place.len() > limit => match self.oversize {
                Oversize::Error => {
                    self.line = Line::SkippedComment;
                    self.error = Some(DecodeError::CommentTooLarge { limit });
                    output::clear(&mut self.comment);
                    self.note_comment(Comments::Removed);
                    LateLf::Remove
                }
                Oversize::Pass => {
                    self.line = Line::PassedComment;
                    let rest = self.rest() + part.place.len();
                    self.output.push_buffer(&self.chunk, &mut self.comment, rest);
                    self.output.keep(&self.chunk, part.place.clone(), self.rest());
                    self.note_comment(Comments::Kept);
                    LateLf::PassOn
                }
            },
            Line::Comment if part.ends => self.decide_comment(part.place.clone(), rule),
            Line::Comment => {
                output::extend(&mut self.comment, self.chunk.get(part.place.clone()).unwrap_or_default(), limit);
                LateLf::None
            }
            Line::PassedComment => {
                self.output.keep(&self.chunk, part.place.clone(), self.rest());
                LateLf::PassOn
            }
            _ => LateLf::Remove,
        }
    }

    pub(super) fn note_comment(&mut self, comments: Comments) {
        if comments == Comments::Removed {
            self.output.note_removed();
        }
        if let Open::Between(before) = &mut self.block
            && *before != Comments::Kept
        {
            *before = comments;
        }
    }
}
