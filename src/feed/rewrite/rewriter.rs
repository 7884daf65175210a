//! The rewriter: it turns chunks into chunks, without I/O.

use super::{
    Edit, Oversize,
    output::{self, Output},
    plain::{Changed, Plain},
};
use crate::{
    decoder::{Boundary, DecodeError, Decoder, Eof, OpenComment},
    event::{BlockItem, BlockItemRef},
    line::Field,
};
use alloc::vec::Vec;
use bytes::Bytes;
use core::{mem, ops::Range};

/// The caller's function.
pub(super) type Rule<'f> = dyn FnMut(BlockItemRef<'_>, &mut Edit<'_>) + 'f;

/// Calls the function with each block and comment that the decoder returns, and assembles the output from their bytes.
///
/// The decoder reads each chunk once, [boundary](Boundary) by boundary. The bytes of a block or comment are those that
/// the decoder consumes for it. They are stored only if the chunk ends first, or if a comment interrupts the block, and
/// are copied to the output at most once. A chunk becomes at most one chunk, or two with an error between them, because
/// each is a write on a socket.
///
/// If bytes are removed, those before and after them must not mean something else together. There are five cases:
///
/// * The LF after a CR is removed with its line, even if it is in the next chunk ([`LateLf`]).
/// * A comment between a CR and the LF of a blank line is removed. The CR becomes an LF, because the two would be one
///   line end (`end_block`).
/// * A comment was passed on, and the end of the stream truncates it. Its line is ended before the block around it is
///   written (`end`).
/// * Everything before a line that begins with U+FEFF is removed. A blank line is written before it, because readers
///   would take it for a byte order mark ([`Output`]).
/// * The byte order mark of the stream is no part of a block, and is passed on first ([`Boundary::Start`]).
///
/// Besides the bytes of the chunk, as many for the output, what the function writes, and the small buffers that are
/// kept, its memory is at most 12.5 times the limit for valid text, and 17.5 times for any bytes:
///
/// * The decoder uses 6 for valid text, and 11 for any bytes. At the end of the stream these are 7 and 11, but then
///   there is no output.
/// * `held` has 1.5 at most, because the decoder enforces the limit before lines are held, and `comment` has 1.
/// * Both may become output while one chunk is read: 2.5. All other output is from the chunk or the function.
/// * While one of the three grows, its old memory counts as well: 0.75 for `held` and 0.5 for `comment`, which double
///   up to half of their limit, or 1.5 for output that was `held`. At its first copied byte, the output has room for
///   all that the chunk and `held` can add, so it does not grow again: no byte is written that the input does not
///   contain.
#[derive(Clone, Debug)]
pub(super) struct Rewriter {
    decoder: Decoder,
    oversize: Oversize,
    open: Open,
    late_lf: LateLf,
    chunk: Bytes,
    /// The end of the part of the chunk that the decoder has read.
    at: usize,
    /// The bytes of the open block, without its comments. At the start of the stream, those of a byte order mark that
    /// is not complete.
    held: Vec<u8>,
    /// The bytes of the open comment, unless it is too large.
    comment: Vec<u8>,
    output: Output,
}

/// What has been read since the last blank line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Open {
    /// Lines that are held, or nothing.
    Block,
    /// Comments, of which none was kept, and perhaps lines. If there are none, the blank line is removed as well.
    RemovedComments,
    /// Comments, of which at least one was kept, and perhaps lines.
    KeptComments,
    /// A block that is too large, and is removed.
    Refused,
    /// A block that is too large, and is passed on.
    PassedOn,
}

/// What happens to an LF if it is the next byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LateLf {
    /// It is read as any other byte: the last byte was no CR, or is held.
    Read,
    /// It belongs to the CR before it, and is passed on.
    PassOn,
    /// It belongs to the CR before it, and is removed.
    Remove,
}

impl Rewriter {
    pub(super) fn new(mut decoder: Decoder, oversize: Oversize) -> Rewriter {
        decoder.reset();
        Rewriter {
            decoder,
            oversize,
            open: Open::Block,
            late_lf: LateLf::Read,
            chunk: Bytes::new(),
            at: 0,
            held: Vec::new(),
            comment: Vec::new(),
            output: Output::new(),
        }
    }

    pub(super) fn oversize(&self) -> Oversize {
        self.oversize
    }

    pub(super) fn set_oversize(&mut self, oversize: Oversize) {
        self.oversize = oversize;
    }

    pub(super) fn decoder(&self) -> &Decoder {
        &self.decoder
    }

    /// Accepts the next chunk, after [`next`](Rewriter::next) has returned all output. Returns it at once if all of it
    /// is passed on. Otherwise it is stored, which takes as long as reading a short one.
    #[inline]
    pub(super) fn begin(&mut self, chunk: Bytes, rule: &mut Rule<'_>) -> Option<Bytes> {
        self.at = 0;
        if self.late_lf == LateLf::Read && self.may_keep(&chunk) {
            let plain = Plain::read(&mut self.decoder, &mut self.output, &chunk, 0, rule);
            if plain.changed.is_none() && plain.at == chunk.len() {
                self.output.begin_elsewhere();
                self.open = Open::after(&plain);
                if chunk.ends_with(b"\r") {
                    self.late_lf = LateLf::PassOn;
                }
                return Some(chunk);
            }
            self.chunk = chunk;
            self.keep(0, plain);
        } else {
            self.chunk = chunk;
        }
        None
    }

    /// Returns the next chunk of output, or the error after it. `None` asks for the next chunk of input.
    #[inline]
    pub(super) fn next(&mut self, rule: &mut Rule<'_>) -> Option<Result<Bytes, DecodeError>> {
        if !self.has_more() && self.output.is_empty() {
            // All of the chunk may have been removed.
            (self.chunk, self.at) = (Bytes::new(), 0);
            return None;
        }
        while !self.output.has_failed() && self.has_more() && (self.keep_plain(rule) || self.step(rule)) {}
        let is_used_up = self.at == self.chunk.len();
        let output = self.output.take(&mut self.chunk, is_used_up);
        if is_used_up {
            (self.chunk, self.at) = (Bytes::new(), 0);
        }
        output
    }

    /// Returns a comment to be sent now, unless a block or a comment has been passed on only in part.
    pub(super) fn keep_alive(&mut self) -> Option<Bytes> {
        let is_in_comment = self.decoder.open_comment() == Some(OpenComment::Skipped);
        if self.open == Open::PassedOn || (is_in_comment && self.oversize == Oversize::Pass) {
            return None;
        }
        if self.late_lf == LateLf::PassOn {
            self.late_lf = LateLf::Remove;
        }
        self.output.begin_elsewhere();
        Some(Bytes::from_static(b": keep-alive\n\n"))
    }

    /// Whether the decoder may return something before the next chunk: it may have the reconnection time of a block
    /// that is too large.
    fn has_more(&self) -> bool {
        self.at < self.chunk.len() || matches!(self.open, Open::Refused | Open::PassedOn)
    }

    /// Passes on plain blocks and comments in one piece, up to one that the function changes. Returns whether there is
    /// one, or nothing else in the chunk.
    fn keep_plain(&mut self, rule: &mut Rule<'_>) -> bool {
        if !self.may_keep(self.chunk.get(self.at..).unwrap_or_default()) {
            return false;
        }
        let start = self.at + self.pass_late_lf();
        let plain = Plain::read(&mut self.decoder, &mut self.output, &self.chunk, self.at, rule);
        self.keep(start, plain)
    }

    /// Whether a run of plain blocks and comments may begin here.
    #[inline]
    fn may_keep(&self, rest: &[u8]) -> bool {
        matches!(rest, [b'd' | b':' | b'\n', ..])
            && matches!(self.open, Open::Block | Open::KeptComments)
            && self.held.is_empty()
            && self.comment.is_empty()
    }

    /// Passes on plain blocks and comments that begin at `start`. Returns as [`keep_plain`](Rewriter::keep_plain).
    fn keep(&mut self, start: usize, plain: Plain) -> bool {
        self.at = plain.at;
        let end = plain.end();
        if end > start {
            self.output.keep(&self.chunk, start..end, self.chunk.len() - end);
            self.open = Open::after(&plain);
            self.note_late_lf(start..end, LateLf::PassOn);
        }
        let Some(Changed { place, is_comment, is_kept }) = plain.changed else { return self.at == self.chunk.len() };
        // An LF after the run would have been read with it.
        self.late_lf = LateLf::Read;
        let late_lf = match is_comment {
            true => self.end_comment(place.clone(), is_kept),
            false => self.end_block(place.clone(), is_kept),
        };
        self.note_late_lf(place, late_lf);
        true
    }

    /// Notes what happens to an LF after these bytes.
    fn note_late_lf(&mut self, read: Range<usize>, late_lf: LateLf) {
        if self.chunk.get(read).is_some_and(|read| read.ends_with(b"\r")) {
            self.late_lf = late_lf;
        }
    }

    /// Reads up to the next boundary. Returns `false` if the chunk is used up.
    fn step(&mut self, rule: &mut Rule<'_>) -> bool {
        let start = self.at + self.pass_late_lf();
        let is_in_skipped_comment = self.decoder.open_comment() == Some(OpenComment::Skipped);
        let mut input = self.chunk.get(self.at..).unwrap_or_default();
        let boundary = self.decoder.decode_boundary(&mut input);
        self.at = self.chunk.len() - input.len();
        let place = start..self.at;
        let is_used_up = matches!(boundary, Ok(None));
        let late_lf = match boundary {
            Ok(None) => self.hold(place),
            Ok(Some(Boundary::BlankLine(block))) => {
                let is_kept = block.is_none_or(|block| self.output.ask(block.into(), rule));
                self.end_block(place, is_kept)
            }
            Ok(Some(Boundary::Comment(text))) => {
                let is_kept = match text {
                    Some(text) if self.open != Open::PassedOn => self.output.ask(BlockItemRef::Comment(text), rule),
                    Some(_) => true,
                    None => self.oversize == Oversize::Pass,
                };
                self.end_comment(place, is_kept)
            }
            // After a keep-alive, it would not be a byte order mark.
            Ok(Some(Boundary::Start)) => self.pass_or_remove_block(place, !self.output.has_begun()),
            Ok(Some(Boundary::Retry(block))) => {
                if self.open == Open::Refused {
                    let encoded = block.to_bytes();
                    if self.output.ask(block.into(), rule) {
                        self.output.push(&self.chunk, &encoded, self.rest());
                    }
                    self.output.write(&self.chunk, self.rest());
                }
                return true;
            }
            Err(error) => {
                let is_passed_on =
                    self.open == Open::PassedOn || is_in_skipped_comment && self.oversize == Oversize::Pass;
                if self.has_ended() {
                    self.fail_for_good(error, place, is_passed_on)
                } else {
                    self.refuse(error, place)
                }
            }
        };
        self.note_late_lf(start..self.at, late_lf);
        !is_used_up
    }

    /// Passes on or removes an LF that belongs to a CR before it, if it is the next byte. Returns its length.
    fn pass_late_lf(&mut self) -> usize {
        let Some(next) = self.chunk.get(self.at) else { return 0 };
        let late_lf = mem::replace(&mut self.late_lf, LateLf::Read);
        if late_lf == LateLf::Read || *next != b'\n' {
            return 0;
        }
        if late_lf == LateLf::PassOn {
            self.output.keep(&self.chunk, self.at..self.at + 1, self.rest());
        }
        1
    }

    /// How many bytes of the input may follow in the output: those that have not been read, and the open block.
    fn rest(&self) -> usize {
        self.chunk.len() - self.at + self.held.len()
    }

    /// Stores what is open at the end of the chunk.
    fn hold(&mut self, place: Range<usize>) -> LateLf {
        match self.decoder.open_comment() {
            Some(OpenComment::Skipped) => self.end_comment(place, self.oversize == Oversize::Pass),
            Some(OpenComment::Buffered) if self.open != Open::PassedOn => {
                let comment = self.hold_lines_before_comment(place);
                let limit = self.decoder.max_event_size();
                output::extend(&mut self.comment, self.chunk.get(comment).unwrap_or_default(), limit);
                LateLf::Read
            }
            _ => self.hold_lines(place),
        }
    }

    /// Adds lines to the open block, unless it is too large.
    fn hold_lines(&mut self, place: Range<usize>) -> LateLf {
        match self.open {
            Open::Refused => LateLf::Remove,
            Open::PassedOn => {
                self.output.keep(&self.chunk, place, self.rest());
                LateLf::PassOn
            }
            Open::Block | Open::RemovedComments | Open::KeptComments => {
                let limit = self.decoder.max_event_size();
                // The limit counts CR LF as one byte, and the shortest line has one other.
                let largest = limit.saturating_add(limit / 2);
                output::extend(&mut self.held, self.chunk.get(place).unwrap_or_default(), largest);
                LateLf::Read
            }
        }
    }

    /// The same for the lines before the comment at the end of `place`. Returns the place of the comment.
    fn hold_lines_before_comment(&mut self, place: Range<usize>) -> Range<usize> {
        // Usually there are none, and the comment need not be searched for its beginning.
        if self.held.is_empty() && self.open != Open::Refused && self.chunk.get(place.start) == Some(&b':') {
            return place;
        }
        // The last byte may be the comment's line end.
        let before = self.chunk.get(place.start..place.end.saturating_sub(1)).unwrap_or_default();
        let begin = memchr::memrchr2(b'\n', b'\r', before).map_or(place.start, |end| place.start + end + 1);
        self.hold_lines(place.start..begin);
        begin..place.end
    }

    /// Ends the comment at the end of `place`, or a part of one that is too large.
    fn end_comment(&mut self, place: Range<usize>, is_kept: bool) -> LateLf {
        let comment = self.hold_lines_before_comment(place);
        self.note_comment(is_kept);
        self.pass_or_remove_comment(comment, is_kept)
    }

    /// Passes on or removes the open comment, whose last bytes are at `place`, and passes on what the function wrote.
    fn pass_or_remove_comment(&mut self, place: Range<usize>, is_kept: bool) -> LateLf {
        let rest = self.rest();
        LateLf::after(self.output.end(&self.chunk, &mut self.comment, place, rest, is_kept))
    }

    fn note_comment(&mut self, is_kept: bool) {
        self.open = match self.open {
            Open::Block | Open::RemovedComments | Open::KeptComments if is_kept => Open::KeptComments,
            // Blocks that were written in its place have their own blank lines.
            Open::Block => Open::RemovedComments,
            other => other,
        };
    }

    /// Ends the open block, if there is one, at the blank line at the end of `place`.
    fn end_block(&mut self, place: Range<usize>, is_kept: bool) -> LateLf {
        let has_lines = !self.held.is_empty() || place.len() > 1;
        let is_kept = match mem::replace(&mut self.open, Open::Block) {
            Open::Refused => false,
            Open::RemovedComments if !has_lines => false,
            _ => is_kept,
        };
        if self.chunk.get(place.clone()) == Some(b"\n") {
            // There was a comment before this LF. Without it, the LF would belong to a CR.
            self.replace_last_cr();
        }
        self.pass_or_remove_block(place, is_kept)
    }

    /// Replaces a CR at the end of the open block by an LF, so that another LF can follow.
    fn replace_last_cr(&mut self) {
        if let Some(last @ b'\r') = self.held.last_mut() {
            *last = b'\n';
        }
    }

    /// Passes on or removes the open block, whose last bytes are at `place`, and passes on what the function wrote.
    fn pass_or_remove_block(&mut self, place: Range<usize>, is_kept: bool) -> LateLf {
        let rest = self.rest() - self.held.len();
        LateLf::after(self.output.end(&self.chunk, &mut self.held, place, rest, is_kept))
    }

    /// Ends the output at an invalid line, whose last bytes are at `place`. If the bytes before them were passed on,
    /// these are as well, so that the output does not depend on how the line is split.
    fn fail_for_good(&mut self, error: DecodeError, place: Range<usize>, is_kept: bool) -> LateLf {
        self.comment.clear();
        self.held.clear();
        // Nothing is read after the line, not even an LF after its CR.
        self.at = self.chunk.len();
        self.open = Open::Block;
        self.pass_or_remove_block(place, is_kept);
        self.output.fail(error);
        LateLf::Read
    }

    /// Removes what the decoder rejects, or passes on what is too large.
    fn refuse(&mut self, error: DecodeError, place: Range<usize>) -> LateLf {
        let is_comment = match error {
            DecodeError::CommentTooLarge { .. } => true,
            DecodeError::InvalidUtf8(text) => text.field() == Field::Comment,
            _ => false,
        };
        let is_too_large = matches!(error, DecodeError::CommentTooLarge { .. } | DecodeError::EventTooLarge { .. });
        let is_kept = self.open == Open::PassedOn || is_too_large && self.oversize == Oversize::Pass;
        if !is_kept {
            self.output.fail(error);
        }
        if is_comment {
            return self.end_comment(place, is_kept);
        }
        self.open = match error {
            DecodeError::EventTooLarge { .. } if is_kept => Open::PassedOn,
            DecodeError::EventTooLarge { .. } => Open::Refused,
            _ => Open::Block,
        };
        self.pass_or_remove_block(place, is_kept)
    }

    /// Whether the decoder has ended before its source, because of [`InvalidUtf8::Stop`](crate::InvalidUtf8::Stop).
    pub(super) fn has_ended(&self) -> bool {
        self.decoder.has_ended()
    }

    /// Does the next step of ending the stream. Returns whether there may be another step, to be done after
    /// [`next`](Rewriter::next) has returned all output.
    pub(super) fn end(&mut self, rule: &mut Rule<'_>) -> bool {
        let is_dispatched = self.decoder.eof() == Eof::Dispatch;
        let is_comment_truncated = self.decoder.open_comment() == Some(OpenComment::Skipped)
            && self.oversize == Oversize::Pass
            && self.open != Open::PassedOn;
        if is_dispatched && is_comment_truncated {
            self.output.push(&self.chunk, b"\n", self.rest());
        }
        match self.decoder.finish_boundary() {
            // It has been passed on.
            Ok(Some(_)) if self.open == Open::PassedOn => {}
            Ok(Some(item)) => {
                let is_kept = self.output.ask((&item).into(), rule);
                match item {
                    BlockItem::Block(_) => self.end_truncated_block(is_kept),
                    BlockItem::Comment(_) => {
                        self.comment.push(b'\n');
                        self.pass_or_remove_comment(0..0, is_kept);
                    }
                }
            }
            Ok(None) if is_dispatched && !self.held.is_empty() => self.end_truncated_block(true),
            Ok(None) => return is_dispatched && is_comment_truncated,
            Err(error) if self.has_ended() => {
                let is_passed_on = self.open == Open::PassedOn || is_comment_truncated;
                self.fail_for_good(error, 0..0, is_passed_on);
            }
            Err(error) => {
                self.refuse(error, 0..0);
            }
        }
        true
    }

    /// Ends the open block, whose last line may have no line end.
    fn end_truncated_block(&mut self, is_kept: bool) {
        self.replace_last_cr();
        let end: &[u8] = if self.held.last() == Some(&b'\n') { b"\n" } else { b"\n\n" };
        self.held.extend_from_slice(end);
        self.pass_or_remove_block(0..0, is_kept);
    }

    /// Drops what is buffered, and makes the decoder ready for another stream.
    pub(super) fn close(&mut self) {
        *self = Rewriter::new(mem::take(&mut self.decoder), self.oversize);
    }
}

impl Open {
    /// After a run of plain blocks and comments that are kept.
    fn after(plain: &Plain) -> Open {
        if plain.last_comment == Some(plain.end()) { Open::KeptComments } else { Open::Block }
    }
}

impl LateLf {
    /// After a line that was passed on, or removed.
    fn after(is_passed_on: bool) -> LateLf {
        if is_passed_on { LateLf::PassOn } else { LateLf::Remove }
    }
}
