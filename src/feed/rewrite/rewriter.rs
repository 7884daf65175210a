//! The rewriter: chunks in, chunks out, without I/O.

mod decide;
mod end;
mod lines;

use super::{
    Edit, Oversize,
    output::{self, Output},
};
use crate::{
    decoder::{DecodeError, Decoder},
    event::BlockRef,
    line::{LineSplitter, Piece},
};
use alloc::vec::Vec;
use bytes::Bytes;
use core::{mem, ops::Range, time::Duration};

const BOM: &[u8] = b"\xEF\xBB\xBF";

/// The caller's function.
pub(super) type Rule<'f> = dyn FnMut(BlockRef<'_>, &mut Edit<'_>) + 'f;

/// Cuts the stream into blocks as bytes, has each one decoded and decided, and puts the output together.
///
/// The bytes of the open block are those in `held` and, after them, those of the chunk from `from` to `at`. Comments
/// are cut out.
#[derive(Clone, Debug)]
pub(super) struct Rewriter {
    decoder: Decoder,
    oversize: Oversize,
    /// Finds the line ends. Byte order marks are not its matter, nor are LFs that belong to a CR.
    lines: LineSplitter,
    line: Line,
    block: Open,
    late_lf: LateLf,
    chunk: Bytes,
    /// How far the chunk has been taken in.
    at: usize,
    from: usize,
    held: Vec<u8>,
    /// What earlier chunks held of an open comment.
    comment: Vec<u8>,
    /// What the function wrote in place of a block.
    written: Vec<u8>,
    output: Output,
    /// Comes after the output.
    error: Option<DecodeError>,
    /// Comes after the error: the reconnection time of the block that was refused, which counts all the same.
    refused_retry: Option<Duration>,
}

/// The block that is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Open {
    /// None: the stream has not begun. What may become a byte order mark is held.
    Start,
    /// None, but for these comments since the last blank line.
    Between(Comments),
    /// It is held. The size is that of its lines, where CR LF counts as one byte.
    Held { size: usize },
    /// It is too large, and left out.
    Skipped,
    /// It is too large, and passed on.
    Passed,
    /// None: the stream ends, and the decoder is asked for what it makes of the unfinished rest.
    Finishing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comments {
    None,
    /// At least one, and all were removed: so is the blank line after them.
    Removed,
    Kept,
}

/// The line that is open, or the last one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line {
    Blank,
    Field,
    Comment,
    /// A comment that is too large, and left out.
    SkippedComment,
    /// A comment that is too large, and passed on.
    PassedComment,
    /// The same, where the stream ended before its line did.
    CutOffComment,
}

/// What becomes of an LF if it comes next: that of the line before, if it belongs to its CR.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LateLf {
    /// The line before did not end with a CR.
    None,
    Hold,
    PassOn,
    Remove,
}

/// A piece of a line.
#[derive(Clone, Debug)]
struct Part {
    /// Where it is in the chunk, with its line end, but without an LF after a CR.
    place: Range<usize>,
    /// Whether the line ends with it.
    ends: bool,
}

impl Rewriter {
    pub(super) fn new(mut decoder: Decoder) -> Rewriter {
        decoder.reset();
        Rewriter {
            decoder,
            oversize: Oversize::default(),
            lines: LineSplitter::within_stream(),
            line: Line::Blank,
            block: Open::Start,
            late_lf: LateLf::None,
            chunk: Bytes::new(),
            at: 0,
            from: 0,
            held: Vec::new(),
            comment: Vec::new(),
            written: Vec::new(),
            output: Output::new(),
            error: None,
            refused_retry: None,
        }
    }

    pub(super) fn set_oversize(&mut self, oversize: Oversize) {
        self.oversize = oversize;
    }

    pub(super) fn decoder(&self) -> &Decoder {
        &self.decoder
    }

    pub(super) fn into_decoder(self) -> Decoder {
        self.decoder
    }

    /// Takes the next chunk. The one before is used up.
    pub(super) fn begin(&mut self, chunk: Bytes) {
        (self.chunk, self.at, self.from) = (chunk, 0, 0);
    }

    /// Drops what is held, and makes the decoder ready for another stream.
    pub(super) fn close(&mut self) {
        self.decoder.reset();
        self.held = Vec::new();
        self.comment = Vec::new();
    }

    /// What is to be passed on next; `None` asks for the next chunk.
    pub(super) fn next(&mut self, rule: &mut Rule<'_>) -> Option<Result<Bytes, DecodeError>> {
        if self.error.is_none()
            && let Some(time) = self.refused_retry.take()
        {
            self.decide_retry(time, rule);
        }
        while self.error.is_none() && self.at < self.chunk.len() {
            match self.block {
                Open::Start => self.start(),
                _ => self.step(rule),
            }
        }
        let is_used_up = self.at == self.chunk.len();
        if is_used_up && matches!(self.block, Open::Held { .. }) {
            self.hold(self.at);
        }
        let output = self.output.take(&mut self.chunk, is_used_up);
        if is_used_up {
            self.begin(Bytes::new());
        }
        output.map(Ok).or_else(|| self.error.take().map(Err))
    }

    /// Passes on a byte order mark, as soon as it is known to be one.
    fn start(&mut self) {
        let rest = self.chunk.get(self.at..).unwrap_or_default();
        let missing = BOM.get(self.held.len()..).unwrap_or_default();
        let matching = rest.iter().zip(missing).take_while(|(byte, expected)| byte == expected).count();
        if matching == missing.len() {
            self.begin_blocks();
            self.output.push_buffer(&self.chunk, &mut self.held);
            self.output.keep(&self.chunk, self.at..self.at + matching);
            self.at += matching;
        } else if matching == rest.len() {
            self.held.extend_from_slice(rest);
            self.at += matching;
        } else {
            self.start_without_bom();
        }
    }

    /// Begins the stream of blocks behind the byte order mark.
    fn begin_blocks(&mut self) {
        self.block = Open::Between(Comments::None);
        self.expect_blocks();
    }

    /// Has the decoder, which is at the start of a stream, take U+FEFF at the start of a block for text: a mark before
    /// it says so.
    fn expect_blocks(&mut self) {
        let _ = self.decoder.decode_block(&mut &*BOM);
    }

    /// What is held, if anything, is not a byte order mark, but begins the first line.
    fn start_without_bom(&mut self) {
        self.begin_blocks();
        if !self.held.is_empty() {
            self.lines.lines(&self.held).for_each(drop);
            self.line = Line::Field;
            self.block = Open::Held { size: 0 };
            self.from = self.at;
            self.grow(self.held.len());
        }
    }

    /// Takes the next line, or as much of it as the chunk has.
    fn step(&mut self, rule: &mut Rule<'_>) {
        let late_lf = mem::replace(&mut self.late_lf, LateLf::None);
        let Some(rest @ [first, ..]) = self.chunk.get(self.at..) else { return };
        if late_lf != LateLf::None && *first == b'\n' {
            self.lines.lines(b"\n").for_each(drop);
            return self.pass_late_lf(late_lf);
        }
        let mut pieces = self.lines.lines(rest);
        let Some(piece) = pieces.next() else { return };
        let place = self.at..self.chunk.len() - pieces.rest().len();
        let (begins, ends) = match piece {
            Piece::Whole(_) => (true, true),
            Piece::Head(_) => (true, false),
            Piece::Middle(_) => (false, false),
            Piece::Tail(_) => (false, true),
        };
        if begins {
            self.line = match first {
                b'\n' | b'\r' => Line::Blank,
                b':' => Line::Comment,
                _ => Line::Field,
            };
        }
        let is_cr = ends && self.chunk.get(place.end - 1) == Some(&b'\r');
        self.at = place.end;
        let part = Part { place, ends };
        let late_lf = match self.line {
            Line::Blank => self.blank_line(&part, rule),
            Line::Field => self.field(&part),
            _ => self.comment(&part, rule),
        };
        if is_cr {
            self.late_lf = late_lf;
        }
    }
}
