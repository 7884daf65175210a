//! The headers of a part.

use super::{
    Limits, Next, Place,
    delimiter::{Delimiter, Trail},
};
use crate::{HeadersRef, PartDecodeErrorKind};
use alloc::vec::Vec;
use core::ops::Range;

/// Reads header lines up to the blank line or a delimiter.
///
/// A block of headers that is contained in a single chunk is borrowed from it. Any other block is collected in the
/// buffer, which is empty at first.
#[derive(Clone, Debug, Default)]
pub(super) struct Head {
    /// The offset of the current line in the block.
    line_start: usize,
    /// The number of lines so far.
    lines: usize,
    /// The offset in the block of the last line that does not continue another one.
    header_start: usize,
    /// The range of the block that contains all lines that may be a `Content-Length`. Only these are parsed. The
    /// range is empty if there are none.
    length_lines: Range<usize>,
    /// Whether some line continues the one before it.
    is_folded: bool,
}

/// A block of headers, which ends before the blank line or the delimiter.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) place: Place,
    /// The part's `Content-Length`.
    pub(super) length: Option<u64>,
}

impl Head {
    /// Reads lines, and returns the headers and what follows them. `None` in place of the headers means that there is
    /// no line, and so no part. Without any result, the chunk is used up. With `is_end` no bytes follow.
    pub(super) fn read(
        &mut self,
        chunk: &[u8],
        used: &mut usize,
        buffer: &mut Vec<u8>,
        delimiter: &Delimiter,
        limits: &Limits,
        is_end: bool,
    ) -> Result<Option<(Option<Block>, Next)>, PartDecodeErrorKind> {
        if is_end {
            return self.finish(buffer, delimiter, limits).map(Some);
        }
        let start = *used;
        let is_buffered = !buffer.is_empty();
        let longest_delimiter = Delimiter::longest_line(delimiter.dash_boundary().len());
        let most = limits.headers_size.saturating_add(longest_delimiter);
        loop {
            let line_end = memchr::memchr(b'\n', &chunk[*used..]);
            let next = line_end.map_or(chunk.len(), |at| *used + at + 1);
            let len = if is_buffered { buffer.len() + (next - *used) } else { next - start };
            // This line is too long to be stored: it can be as long as its chunk. It may still begin with a close
            // delimiter.
            if len > limits.headers_size && len - self.line_start > longest_delimiter {
                let trail = if is_buffered {
                    let missing = longest_delimiter.saturating_sub(buffer.len() - self.line_start);
                    extend(buffer, &chunk[*used..*used + missing], most);
                    delimiter.line(&buffer[self.line_start..], false)
                } else {
                    delimiter.line(&chunk[start + self.line_start..next], false)
                };
                if let Trail::Delimiter(_, Next::Close) = trail {
                    *used = next;
                    return Ok(Some(self.end(Next::Close, (!is_buffered).then_some(start), chunk, buffer)));
                }
                *used = next - line_end.map_or(0, |_| 1);
                return Err(PartDecodeErrorKind::HeadersTooLarge);
            }
            if is_buffered || line_end.is_none() {
                let from = if is_buffered { *used } else { start };
                extend(buffer, &chunk[from..next], most);
            }
            *used = next;
            let start_in_chunk = (!is_buffered && line_end.is_some()).then_some(start);
            let block = start_in_chunk.map_or(&buffer[..], |start| &chunk[start..next]);
            let line = &block[self.line_start..];
            if matches!(line, b"\n" | b"\r\n") {
                return Ok(Some(self.end(Next::Body, start_in_chunk, chunk, buffer)));
            }
            match delimiter.line(line, false) {
                Trail::Delimiter(_, next) => return Ok(Some(self.end(next, start_in_chunk, chunk, buffer))),
                Trail::Open | Trail::Data if line_end.is_none() => return Ok(None),
                Trail::Open | Trail::Data => {}
            }
            if let [b'C' | b'c', _, _, _, _, _, _, _, b'L' | b'l', ..] = line {
                let start = if self.length_lines.is_empty() { self.line_start } else { self.length_lines.start };
                self.length_lines = start..len;
            }
            match line {
                [b' ' | b'\t', ..] => self.is_folded = true,
                _ => self.header_start = self.line_start,
            }
            if let Err(kind) = self.add_line(len, limits) {
                // The line end is not consumed, because a delimiter on the next line needs it.
                *used -= 1;
                return Err(kind);
            }
        }
    }

    /// Ends the unfinished block in the buffer. A truncated header is not part of it.
    fn finish(
        &mut self,
        buffer: &mut Vec<u8>,
        delimiter: &Delimiter,
        limits: &Limits,
    ) -> Result<(Option<Block>, Next), PartDecodeErrorKind> {
        let line = &buffer[self.line_start..];
        if let Trail::Delimiter(_, next) = delimiter.line(line, true) {
            return Ok(self.end(next, None, &[], buffer));
        }
        if buffer.is_empty() {
            return Ok((None, Next::EndOfStream));
        }
        // A truncated line counts towards the limits, but neither it nor the header that it continues is returned.
        let complete = if let [b' ' | b'\t', ..] = line { self.header_start } else { self.line_start };
        if !line.is_empty() {
            self.add_line(buffer.len(), limits)?;
        }
        // A part that ends here has no use for its length.
        self.length_lines = 0..0;
        Ok((Some(self.block(None, complete, &[], buffer)), Next::EndOfStream))
    }

    /// Ends the block before the current line, which is blank or a delimiter. `start` is its place in the chunk, unless
    /// it is in the buffer.
    #[inline]
    fn end(&mut self, next: Next, start: Option<usize>, chunk: &[u8], buffer: &mut Vec<u8>) -> (Option<Block>, Next) {
        let has_part = next == Next::Body || self.line_start > 0;
        (has_part.then(|| self.block(start, self.line_start, chunk, buffer)), next)
    }

    /// Returns the first `len` bytes of the block, with the lines joined that continue the one before them.
    #[inline]
    fn block(&mut self, start: Option<usize>, len: usize, chunk: &[u8], buffer: &mut Vec<u8>) -> Block {
        let (place, block) = match start {
            Some(start) if !self.is_folded => (Place::Chunk(start..start + len), &chunk[start..start + len]),
            _ => {
                match start {
                    Some(start) => buffer.extend_from_slice(&chunk[start..start + len]),
                    None => buffer.truncate(len),
                }
                if self.is_folded {
                    unfold(buffer);
                    self.length_lines = 0..len;
                }
                (Place::Buffer(0..len), &buffer[..])
            }
        };
        Block { place, length: HeadersRef::new(&block[self.length_lines.clone()]).content_length() }
    }

    /// Counts a line after which the block is `len` bytes long.
    fn add_line(&mut self, len: usize, limits: &Limits) -> Result<(), PartDecodeErrorKind> {
        if len > limits.headers_size {
            return Err(PartDecodeErrorKind::HeadersTooLarge);
        }
        self.lines += 1;
        if self.lines > limits.headers {
            return Err(PartDecodeErrorKind::TooManyHeaders);
        }
        self.line_start = len;
        Ok(())
    }
}

/// Extends a buffer. If necessary, its capacity is doubled, up to the limit that it can need.
fn extend(buffer: &mut Vec<u8>, bytes: &[u8], most: usize) {
    let needed = buffer.len() + bytes.len();
    if needed > buffer.capacity() {
        let capacity = (2 * buffer.capacity()).clamp(needed, most.max(needed));
        buffer.reserve_exact(capacity - buffer.len());
    }
    buffer.extend_from_slice(bytes);
}

/// Replaces each line end within a header by as many spaces (RFC 9112, section 5.2).
///
/// The line before it has a colon. Otherwise it is not a header, and neither is the line that continues it, because its
/// name begins with a blank.
#[cold]
fn unfold(block: &mut [u8]) {
    let mut is_header = false;
    for at in 0..block.len() {
        match &mut block[at..] {
            [b':', ..] => is_header = true,
            [cr @ b'\r', lf @ b'\n', b' ' | b'\t', ..] if is_header => (*cr, *lf) = (b' ', b' '),
            [lf @ b'\n', b' ' | b'\t', ..] if is_header => *lf = b' ',
            [b'\n', ..] => is_header = false,
            _ => {}
        }
    }
}
