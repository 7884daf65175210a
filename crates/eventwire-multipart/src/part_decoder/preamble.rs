//! The bytes before the first delimiter.

use super::{
    super::{
        Boundary,
        boundary::{is_all_dashes, sniffed},
    },
    delimiter::{Delimiter, Trail},
};
use alloc::vec::Vec;

/// Reads lines until one of them is a delimiter, which determines the form of all delimiters in the stream.
#[derive(Clone, Debug)]
pub(super) struct Preamble {
    pub(super) candidates: Candidates,
    /// The number of bytes in lines that are not a delimiter.
    ignored: usize,
    /// Whether there was anything but line ends.
    has_text: bool,
    /// Whether the current line is too long to be a delimiter.
    is_skipping: bool,
}

/// The possible starts of the first delimiter line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Candidates {
    /// Two dashes and the boundary.
    Dashed,
    /// The boundary with or without the two dashes.
    DashedOrBare,
    /// Two dashes and any text.
    Sniffed,
}

/// How the preamble ended.
#[derive(Debug)]
pub(super) enum PreambleEnd {
    Delimiter,
    Close,
    TooLarge,
}

impl Preamble {
    pub(super) fn new(candidates: Candidates) -> Preamble {
        Preamble { candidates, ignored: 0, has_text: false, is_skipping: false }
    }

    /// Reads lines. `None` means that the chunk is used up.
    pub(super) fn read(
        &mut self,
        chunk: &[u8],
        used: &mut usize,
        buffer: &mut Vec<u8>,
        delimiter: &mut Delimiter,
        max: usize,
    ) -> Option<PreambleEnd> {
        let longest = Delimiter::longest_line(match self.candidates {
            Candidates::Sniffed => Boundary::MAX_LEN + 2,
            _ => delimiter.dash_boundary().len(),
        });
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
                let is_whole = is_line_over && known.len() == piece.len();
                let line = if buffer.is_empty() && is_whole {
                    known
                } else {
                    buffer.extend_from_slice(known);
                    &buffer[..]
                };
                ignored = line.len() + (piece.len() - known.len());
                if let Some(end) = self.first_delimiter(line, is_whole, false, delimiter) {
                    return Some(end);
                }
            }
            if is_line_over || self.is_skipping || ignored > longest {
                self.ignored += ignored;
                buffer.clear();
                self.is_skipping = !is_line_over;
            }
            if self.ignored > max {
                return Some(PreambleEnd::TooLarge);
            }
        }
        None
    }

    /// Classifies the unfinished last line.
    pub(super) fn finish(&mut self, buffer: &[u8], delimiter: &mut Delimiter, max: usize) -> Option<PreambleEnd> {
        let end = self.first_delimiter(buffer, true, true, delimiter);
        if end.is_none() {
            self.ignored += buffer.len();
        }
        end.or_else(|| (self.ignored > max).then_some(PreambleEnd::TooLarge))
    }

    /// Whether the stream had no bytes, or only line ends, which some servers write before each delimiter.
    pub(super) fn is_empty(&self) -> bool {
        !self.has_text
    }

    /// Checks whether a line is the first delimiter. If so, it determines the form of the later ones.
    fn first_delimiter(
        &self,
        line: &[u8],
        is_line_over: bool,
        is_end: bool,
        delimiter: &mut Delimiter,
    ) -> Option<PreambleEnd> {
        if self.candidates == Candidates::Sniffed {
            let found = sniffed(line).filter(|_| is_line_over)?;
            *delimiter = Delimiter::with_dash_boundary(found);
            return Some(PreambleEnd::Delimiter);
        }
        let dashed = delimiter.dash_boundary();
        let bare = &dashed[2..];
        let bare = (self.candidates == Candidates::DashedOrBare || bare.starts_with(b"--")).then_some(bare);
        // The longer candidate is first. While it is undecided, so is the shorter one.
        let (candidate, trail) = [Some(dashed), bare].into_iter().flatten().find_map(|candidate| {
            let trail = Trail::read(line.strip_prefix(candidate)?, is_all_dashes(candidate), is_end);
            (trail != Trail::Data).then_some((candidate, trail))
        })?;
        let end = match trail {
            Trail::Delimiter(_) => PreambleEnd::Delimiter,
            Trail::Close(_) => PreambleEnd::Close,
            Trail::Open | Trail::Data => return None,
        };
        if candidate.len() < dashed.len() {
            *delimiter = Delimiter::with_dash_boundary(candidate);
        }
        Some(end)
    }
}
