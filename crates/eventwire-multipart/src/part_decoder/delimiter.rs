//! The delimiter between parts, and how a line is recognized as one.

use super::Next;
use crate::boundary::is_all_dashes;
use bytes::Bytes;

/// The line end before a dash-boundary.
const LINE_END: &[u8] = b"\r\n";

/// The most blanks after a boundary that are accepted as padding.
const MAX_PADDING: usize = 64;

/// The maximum number of bytes after a dash-boundary that decide whether it is a delimiter: two dashes, padding,
/// and a line end.
const MAX_TRAIL: usize = 2 + MAX_PADDING + LINE_END.len();

/// So many bytes are searched at a time.
const BLOCK: usize = 64;

/// Whether there are no vector instructions.
const IS_SCALAR: bool = cfg!(all(target_family = "wasm", not(target_feature = "simd128")));

/// The delimiter between parts: CRLF and the dash-boundary.
#[derive(Clone, Debug)]
pub(super) struct Delimiter {
    bytes: Bytes,
    is_all_dashes: bool,
}

/// The meaning of the bytes that follow a dash-boundary on its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trail {
    /// More bytes are needed to decide.
    Open,
    /// The line is a delimiter, or the close delimiter. The trail has this many bytes.
    Delimiter(usize, Next),
    /// The line is data.
    Data,
}

impl Delimiter {
    pub(super) fn new(dash_boundary: &[u8]) -> Delimiter {
        Delimiter {
            bytes: Bytes::from([LINE_END, dash_boundary].concat()),
            is_all_dashes: is_all_dashes(dash_boundary),
        }
    }

    /// Returns CRLF and the dash-boundary.
    pub(super) fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    pub(super) fn dash_boundary(&self) -> &[u8] {
        &self.bytes[LINE_END.len()..]
    }

    /// Returns the length in bytes of the longest line that can be a delimiter, if the dash-boundary has at most
    /// `len` bytes.
    pub(super) fn longest_line(len: usize) -> usize {
        len + MAX_TRAIL
    }

    /// Classifies a line, which may be unfinished. It is `Data` if it does not begin with the dash-boundary.
    #[inline]
    pub(super) fn line(&self, line: &[u8], is_end: bool) -> Trail {
        if line.starts_with(b"-") { self.dashed_line(line, is_end) } else { Trail::Data }
    }

    /// The same for a line that begins with a dash. Not inlined, because few header lines do.
    #[inline(never)]
    fn dashed_line(&self, line: &[u8], is_end: bool) -> Trail {
        match line.strip_prefix(self.dash_boundary()) {
            Some(trail) => self.trail(trail, is_end),
            None => Trail::Data,
        }
    }

    /// Classifies the bytes after the dash-boundary. With `is_end` no bytes follow them.
    #[inline]
    pub(super) fn trail(&self, trail: &[u8], is_end: bool) -> Trail {
        match trail {
            [b'\r', b'\n', ..] => Trail::Delimiter(2, Next::Head),
            _ => Trail::read(trail, self.is_all_dashes, is_end),
        }
    }
}

/// Returns the position of the first LF that may be followed by the dash-boundary, which begins with two dashes. At the
/// end of `bytes`, the start of a dash-boundary is enough.
#[inline]
pub(super) fn find_line_end(bytes: &[u8]) -> Option<usize> {
    if IS_SCALAR || bytes.len() < BLOCK { memchr::memchr(b'\n', bytes) } else { find_in_blocks(bytes) }
}

fn find_in_blocks(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += pass_blocks(&bytes[at..]);
        if at == bytes.len() {
            return bytes.ends_with(b"\n").then(|| at - 1);
        }
        // The LF may be the last byte before the block.
        let start = at.saturating_sub(1);
        at = bytes.len().min(at + BLOCK);
        let may_begin = |lf: &usize| bytes.get(start + lf + 1).is_none_or(|&byte| byte == b'-');
        if let Some(lf) = memchr::memchr_iter(b'\n', &bytes[start..at]).find(may_begin) {
            return Some(start + lf);
        }
    }
}

/// Returns the position of the first block in which a delimiter may begin, or which has the dashes of one; or else the
/// end. A line end as the last byte is not seen, and less than a block is not searched.
///
/// In random bytes this is two to three times as fast as `memchr` for LF and `memmem` for LF and two dashes: there is
/// no function that is selected at run time, and hardly anything is found that is no delimiter.
#[inline]
pub(super) fn pass_blocks(bytes: &[u8]) -> usize {
    if IS_SCALAR {
        return 0;
    }
    let (blocks, rest) = bytes.as_chunks();
    if let Some(index) = blocks.iter().position(may_have_dashes) {
        return index * BLOCK;
    }
    // The last block overlaps the one before it.
    let is_passed = rest.is_empty() || bytes.last_chunk().is_some_and(|last| !may_have_dashes(last));
    if is_passed { bytes.len() } else { bytes.len() - rest.len() }
}

/// Whether LF and a dash, or two dashes, may be at an even position. For LF and two dashes, one of these is the case.
///
/// Two bytes are compared at a time, without the bits in which LF and a dash differ. The compiler turns this into
/// vector instructions, four for 16 bytes; comparing with both pairs takes it nine.
#[inline]
fn may_have_dashes(block: &[u8; BLOCK]) -> bool {
    let common = |pair: &[u8; 2]| u16::from_le_bytes(*pair) & !u16::from(b'\n' ^ b'-');
    block.as_chunks().0.iter().fold(false, |any, pair| any | (common(pair) == common(b"--")))
}

impl Trail {
    /// Classifies the bytes after any dash-boundary, like `Delimiter::trail`.
    ///
    /// Two dashes end the stream at once, without waiting for the line end. If the boundary is all dashes, the
    /// complete line must match, because lines of dashes are common in text.
    pub(super) fn read(trail: &[u8], is_all_dashes: bool, is_end: bool) -> Trail {
        let dashes = trail.iter().take(2).take_while(|&&byte| byte == b'-').count();
        match dashes {
            2 if !is_all_dashes => return Trail::Delimiter(2, Next::Close),
            1 if trail.len() == 1 && !is_end => return Trail::Open,
            1 => return Trail::Data,
            _ => {}
        }
        let blanks =
            trail[dashes..].iter().take(MAX_PADDING + 1).take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        if blanks > MAX_PADDING {
            return Trail::Data;
        }
        let behind = dashes + blanks;
        let line_end = match trail[behind..] {
            [] if is_end => 0,
            [b'\n', ..] => 1,
            [b'\r', b'\n', ..] => 2,
            [] | [b'\r'] if !is_end => return Trail::Open,
            _ => return Trail::Data,
        };
        Trail::Delimiter(behind + line_end, if dashes == 2 { Next::Close } else { Next::Head })
    }
}

/// Adds bytes of a chunk to an unfinished trail in the buffer, at most as many as are needed to classify it.
pub(super) fn extend_trail(buffer: &mut alloc::vec::Vec<u8>, chunk: &[u8]) {
    let missing = (MAX_TRAIL + 1).saturating_sub(buffer.len()).min(chunk.len());
    buffer.extend_from_slice(&chunk[..missing]);
}
