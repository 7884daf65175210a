//! The rewriter: it turns chunks into chunks, without I/O.

mod decide;
mod end;
mod lines;

use super::{
    Edit, Oversize,
    output::{self, Output},
};
use crate::{
    decoder::{DecodeError, Decoder},
    event::BlockItemRef,
    line::{LineSplitter, Piece},
};
use alloc::vec::Vec;
use bytes::Bytes;
use core::{mem, ops::Range, time::Duration};

const BOM: &[u8] = b"\xEF\xBB\xBF";

/// The caller's function.
pub(super) type Rule<'f> = dyn FnMut(BlockItemRef<'_>, &mut Edit<'_>) + 'f;

/// Splits the stream into blocks of bytes, decodes each, calls the function with it, and assembles the output.
///
/// The bytes of the open block, without its comments, are those in `held`, followed by those of the chunk from
/// `from` to `at`. Each byte is scanned twice, here and by the decoder, stored at most once, and copied to the output
/// at most once. A chunk becomes at most one chunk, or two with an error between them, because each is a write on a
/// socket.
///
/// If bytes are removed, those before and after them must not mean something else together. There are five cases:
///
/// * The LF after a CR is removed with its line, even if it is in the next chunk ([`LateLf`]).
/// * A comment between a CR and the LF of a blank line is removed. The CR becomes CR LF, because the two would be one
///   line end (`blank_line`).
/// * A comment was passed on, and the end of the stream truncates it. Its line is ended before anything is written
///   (`CutOffComment`).
/// * Everything before a line that begins with U+FEFF is removed. A blank line is written before it, because readers
///   would take it for a byte order mark ([`Output`]).
/// * The byte order mark of the stream is no part of a block, and is passed on first (`start`).
///
/// Besides the bytes of the chunk, as many for the output, what the function writes, and the small buffers that are
/// kept, its memory is at most 14.75 times the limit for valid text, and 25.75 times for any bytes:
///
/// * The decoder uses 6 for valid text, and 11 for any bytes.
/// * `held` has 1.5 at most, and `comment` has 1. Both may become output while one chunk is read: 2.5. At the first
///   copied byte of the chunk, the output has room for the rest of it and for `held`, so it does not grow again.
///   What it had before, and what is buffered of the next block, is at most 1.5 + 0.75 while `held` grows, and 1 for
///   the next comment.
/// * An ID and a type without data are encoded in `written`, which doubles: 1 + 2 while it grows for valid text, and
///   3 + 6 for any bytes.
#[derive(Clone, Debug)]
pub(super) struct Rewriter {
    decoder: Decoder,
    oversize: Oversize,
    /// Finds the line ends. Byte order marks, and an LF that belongs to a CR, are handled outside of it.
    lines: LineSplitter,
    line: Line,
    block: Open,
    late_lf: LateLf,
    chunk: Bytes,
    /// The end of the part of the chunk that has been read.
    at: usize,
    from: usize,
    held: Vec<u8>,
    /// The bytes of an open comment from earlier chunks.
    comment: Vec<u8>,
    /// The blocks that the function wrote after a block, or instead of it.
    written: Vec<u8>,
    output: Output,
    /// It is returned after the output.
    error: Option<DecodeError>,
    /// The reconnection time of the block that was an error. It still takes effect, after the error.
    refused_retry: Option<Duration>,
}

/// The open block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Open {
    /// No block: the stream has not begun. Bytes that may become a byte order mark are buffered.
    Start,
    /// No block, but perhaps comments since the last blank line.
    Between(Comments),
    /// It is buffered. The size is that of its lines; CR LF counts as one byte.
    Held { size: usize },
    /// It is too large, and is removed.
    Skipped,
    /// It is too large, and is passed on.
    Passed,
    /// No block: the stream ends, and the decoder returns what it makes of the unfinished rest.
    Finishing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comments {
    None,
    /// At least one, and all of them were removed. The blank line after them is removed as well.
    Removed,
    Kept,
}

/// The open line. If none is open, the last one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line {
    Blank,
    Field,
    Comment,
    /// A comment that is too large, and is removed.
    SkippedComment,
    /// A comment that is too large, and is passed on.
    PassedComment,
    /// A comment that was passed on, and whose line did not end before the stream did.
    CutOffComment,
}

/// What happens to an LF if it is the next byte. If the line before ended with a CR, the LF belongs to that line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LateLf {
    /// The line before did not end with a CR.
    None,
    /// It is buffered with its block.
    Hold,
    PassOn,
    Remove,
}

/// A line, or the piece of a line that is in the chunk.
#[derive(Clone, Debug)]
struct Part {
    /// Its place in the chunk, including its line end, but without an LF after a CR.
    place: Range<usize>,
    /// Whether it includes the end of the line.
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

    /// Accepts the next chunk. The chunk before it is used up.
    pub(super) fn begin(&mut self, chunk: Bytes) {
        (self.chunk, self.at, self.from) = (chunk, 0, 0);
    }

    /// Drops what is buffered, and makes the decoder ready for another stream.
    pub(super) fn close(&mut self) {
        self.decoder.reset();
        self.held = Vec::new();
        self.comment = Vec::new();
    }

    /// Returns the next chunk of output. `None` asks for the next chunk of input.
    // Otherwise chunks of one short event take 7 to 12 % longer.
    #[inline]
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

    /// How many bytes of the input may follow in the output: those that have not been read, and the open block.
    fn rest(&self) -> usize {
        self.chunk.len() - self.at + self.held.len()
    }

    /// Passes on a byte order mark as soon as it is complete.
    fn start(&mut self) {
        let rest = self.chunk.get(self.at..).unwrap_or_default();
        let missing = BOM.get(self.held.len()..).unwrap_or_default();
        let matching = rest.iter().zip(missing).take_while(|(byte, expected)| byte == expected).count();
        if matching == missing.len() {
            self.begin_blocks();
            self.output.push_buffer(&self.chunk, &mut self.held, 0);
            self.output.keep(&self.chunk, self.at..self.at + matching, self.rest());
            self.at += matching;
        } else if matching == rest.len() {
            self.held.extend_from_slice(rest);
            self.at += matching;
        } else {
            self.start_without_bom();
        }
    }

    /// Begins the stream of blocks, after the byte order mark.
    fn begin_blocks(&mut self) {
        self.block = Open::Between(Comments::None);
        self.expect_blocks();
    }

    /// Makes a decoder expect no byte order mark at the start of its stream, by decoding one here.
    ///
    /// Otherwise it would drop U+FEFF from the start of the first block, where it is text.
    fn expect_blocks(&mut self) {
        let _ = self.decoder.decode_block(&mut &*BOM);
    }

    /// Begins the stream without a byte order mark: any buffered bytes are the start of the first line.
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

    /// Reads the next line, or the part of it that is in the chunk.
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
