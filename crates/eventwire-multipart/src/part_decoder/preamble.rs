//! The bytes before the first delimiter.

use super::{
    Next,
    delimiter::{Delimiter, Trail},
};
use crate::{PartDecodeErrorKind, boundary::is_all_dashes};
use alloc::vec::Vec;

/// Reads lines until one of them is a delimiter, which determines the form of all delimiters in the stream.
#[derive(Clone, Debug, Default)]
pub(super) struct Preamble {
    /// The number of bytes in lines that are not a delimiter.
    ignored: usize,
    /// Whether there was anything but line ends, which some servers write before each delimiter.
    has_text: bool,
    /// Whether the current line is too long to be a delimiter.
    is_skipping: bool,
}

impl Preamble {
    /// Reads lines. `None` means that the chunk is used up. With `is_end` no bytes follow.
    pub(super) fn read(
        &mut self,
        chunk: &[u8],
        used: &mut usize,
        buffer: &mut Vec<u8>,
        delimiter: &mut Delimiter,
        max: usize,
        is_end: bool,
    ) -> Result<Option<Next>, PartDecodeErrorKind> {
        let longest = Delimiter::longest_line(delimiter.dash_boundary().len());
        while *used < chunk.len() {
            let rest = &chunk[*used..];
            let line_end = memchr::memchr(b'\n', rest);
            let piece = line_end.map_or(rest, |at| &rest[..=at]);
            *used += piece.len();
            self.has_text = self.has_text || piece.iter().any(|byte| !matches!(byte, b'\r' | b'\n'));
            let is_line_over = line_end.is_some();
            let mut ignored = piece.len();
            if !self.is_skipping {
                // Only as many bytes of the line as a delimiter can have: it may be as long as its chunk, and begin
                // with a close delimiter.
                let known = &piece[..piece.len().min(longest + 1 - buffer.len())];
                let line = if buffer.is_empty() && is_line_over && known.len() == piece.len() {
                    known
                } else {
                    buffer.extend_from_slice(known);
                    &buffer[..]
                };
                ignored = line.len() + (piece.len() - known.len());
                if let Some(next) = first_delimiter(line, delimiter, false) {
                    return Ok(Some(next));
                }
            }
            if is_line_over || self.is_skipping || ignored > longest {
                self.ignored += ignored;
                buffer.clear();
                self.is_skipping = !is_line_over;
            }
            if self.ignored > max {
                return Err(PartDecodeErrorKind::PreambleTooLarge);
            }
        }
        if !is_end {
            return Ok(None);
        }
        match first_delimiter(buffer, delimiter, true) {
            Some(next) => Ok(Some(next)),
            None if self.ignored + buffer.len() > max => Err(PartDecodeErrorKind::PreambleTooLarge),
            None if self.has_text => Err(PartDecodeErrorKind::NoDelimiter),
            None => Ok(Some(Next::EndOfStream)),
        }
    }
}

/// Checks whether a line is the first delimiter. If so, it determines the form of the later ones.
fn first_delimiter(line: &[u8], delimiter: &mut Delimiter, is_end: bool) -> Option<Next> {
    let dashed = delimiter.dash_boundary();
    let as_it_is = Some(&dashed[2..]).filter(|boundary| boundary.starts_with(b"--"));
    // The longer candidate is first. While it is undecided, so is the shorter one.
    let (candidate, trail) = [Some(dashed), as_it_is].into_iter().flatten().find_map(|candidate| {
        let trail = Trail::read(line.strip_prefix(candidate)?, is_all_dashes(candidate), is_end);
        (trail != Trail::Data).then_some((candidate, trail))
    })?;
    let Trail::Delimiter(_, next) = trail else { return None };
    if candidate.len() < dashed.len() {
        *delimiter = Delimiter::new(candidate);
    }
    Some(next)
}
