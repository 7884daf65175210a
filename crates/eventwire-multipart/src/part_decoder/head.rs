//! The headers of a part.

use super::{
    delimiter::{Delimiter, Trail},
    place::Place,
    settings::Settings,
};
use crate::{DecodeErrorKind, HeadersRef};
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

/// How a block of headers ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HeadEnd {
    BlankLine,
    Delimiter,
    Close,
    EndOfStream,
}

impl Head {
    /// Reads lines. `None` means that the chunk is used up.
    pub(super) fn read(
        &mut self,
        chunk: &[u8],
        used: &mut usize,
        buffer: &mut Vec<u8>,
        delimiter: &Delimiter,
        settings: &Settings,
    ) -> Result<Option<(Place, HeadEnd)>, DecodeErrorKind> {
        let start = *used;
        let is_buffered = !buffer.is_empty();
        let longest_delimiter = Delimiter::longest_line(delimiter.dash_boundary().len());
        let most = settings.max_headers_size.saturating_add(longest_delimiter);
        loop {
            let line_end = memchr::memchr(b'\n', &chunk[*used..]);
            let next = line_end.map_or(chunk.len(), |at| *used + at + 1);
            let len = if is_buffered { buffer.len() + (next - *used) } else { next - start };
            // This line is too long to be stored: it can be as long as its chunk. It may still begin with a close
            // delimiter.
            if len > settings.max_headers_size && len - self.line_start > longest_delimiter {
                let end = if is_buffered {
                    let missing = longest_delimiter.saturating_sub(buffer.len() - self.line_start);
                    extend(buffer, &chunk[*used..*used + missing], most);
                    delimiter.line(&buffer[self.line_start..], false)
                } else {
                    delimiter.line(&chunk[start + self.line_start..next], false)
                };
                if let Trail::Close(_) = end {
                    *used = next;
                    let block = if is_buffered { 0..self.line_start } else { start..start + self.line_start };
                    let place = if is_buffered { Place::Buffer(block) } else { Place::Chunk(block) };
                    return Ok(Some((place, HeadEnd::Close)));
                }
                *used = next - line_end.map_or(0, |_| 1);
                return Err(DecodeErrorKind::HeadersTooLarge);
            }
            if is_buffered || line_end.is_none() {
                let from = if is_buffered { *used } else { start };
                extend(buffer, &chunk[from..next], most);
            }
            *used = next;
            let is_in_chunk = !is_buffered && line_end.is_some();
            let block = if is_in_chunk { &chunk[start..next] } else { &buffer[..] };
            let line = &block[self.line_start..];
            let place = |end: usize| match is_in_chunk {
                true => Place::Chunk(start..start + end),
                false => Place::Buffer(0..end),
            };
            if matches!(line, b"\n" | b"\r\n") {
                return Ok(Some((place(self.line_start), HeadEnd::BlankLine)));
            }
            match delimiter.line(line, false) {
                Trail::Close(_) => return Ok(Some((place(self.line_start), HeadEnd::Close))),
                Trail::Delimiter(_) => return Ok(Some((place(self.line_start), HeadEnd::Delimiter))),
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
            if let Err(kind) = self.add_line(len, settings) {
                // The line end is not consumed, because a delimiter on the next line needs it.
                *used -= 1;
                return Err(kind);
            }
        }
    }

    /// Ends the unfinished block in the buffer. A truncated header is not part of it.
    pub(super) fn finish(
        &mut self,
        buffer: &[u8],
        delimiter: &Delimiter,
        settings: &Settings,
    ) -> Result<(Place, HeadEnd), DecodeErrorKind> {
        let line = &buffer[self.line_start..];
        let mut complete = self.line_start;
        let end = match delimiter.line(line, true) {
            Trail::Delimiter(_) => HeadEnd::Delimiter,
            Trail::Close(_) => HeadEnd::Close,
            Trail::Open | Trail::Data => {
                // A truncated line counts towards the limits, but neither it nor the header that it continues is
                // returned.
                if let [b' ' | b'\t', ..] = line {
                    complete = self.header_start;
                    self.length_lines = 0..0;
                }
                if !line.is_empty() {
                    self.add_line(buffer.len(), settings)?;
                }
                HeadEnd::EndOfStream
            }
        };
        Ok((Place::Buffer(0..complete), end))
    }

    /// Joins lines that continue the one before them.
    pub(super) fn unfold(&mut self, place: Place, chunk: &[u8], buffer: &mut Vec<u8>) -> Place {
        if !self.is_folded {
            return place;
        }
        match place {
            Place::Chunk(range) => buffer.extend_from_slice(&chunk[range]),
            Place::Delimiter(range) | Place::Buffer(range) => buffer.truncate(range.end),
        }
        unfold(buffer);
        self.length_lines = 0..buffer.len();
        Place::Buffer(self.length_lines.clone())
    }

    /// Returns the lines of this block that may be its `Content-Length`.
    pub(super) fn length_lines<'b>(&self, block: &'b [u8]) -> HeadersRef<'b> {
        HeadersRef::new(&block[self.length_lines.clone()])
    }

    /// Counts a line after which the block is `len` bytes long.
    fn add_line(&mut self, len: usize, settings: &Settings) -> Result<(), DecodeErrorKind> {
        if len > settings.max_headers_size {
            return Err(DecodeErrorKind::HeadersTooLarge);
        }
        self.lines += 1;
        if self.lines > settings.max_headers {
            return Err(DecodeErrorKind::TooManyHeaders);
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
