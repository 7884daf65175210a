//! The delimiter between parts, and how a line is recognized as one.

use super::Next;
use crate::boundary::is_all_dashes;
use bytes::Bytes;
use memchr::memmem;

/// The line end before a dash-boundary.
const LINE_END: &[u8] = b"\r\n";

/// The most blanks after a boundary that are accepted as padding.
const MAX_PADDING: usize = 64;

/// The maximum number of bytes after a dash-boundary that decide whether it is a delimiter: two dashes, padding,
/// and a line end.
const MAX_TRAIL: usize = 2 + MAX_PADDING + LINE_END.len();

/// In the first bytes of a chunk, searching for LF alone is faster. In more random bytes than this, searching for
/// LF and two dashes is twice as fast, even though the searcher is created each time. The searcher is not stored,
/// because it needs more memory than the rest of a decoder.
const NEAR: usize = 512;

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

    /// Returns the position of the first LF that may be followed by the dash-boundary. At the end of `bytes`, the
    /// start of a dash-boundary is enough.
    #[inline]
    pub(super) fn find_line_end(&self, bytes: &[u8]) -> Option<usize> {
        let near = memchr::memchr(b'\n', &bytes[..bytes.len().min(NEAR)]);
        if near.is_some() || bytes.len() <= NEAR {
            return near;
        }
        let far = &bytes[NEAR..];
        // Not on wasm, where the searcher would add 2.4 KB to each page, gzipped.
        let found = if cfg!(not(target_family = "wasm")) && self.dash_boundary().starts_with(b"--") {
            memmem::find(far, b"\n--").or_else(|| match far {
                [.., b'\n'] => Some(far.len() - 1),
                [.., b'\n', b'-'] => Some(far.len() - 2),
                _ => None,
            })
        } else {
            memchr::memchr(b'\n', far)
        };
        found.map(|at| NEAR + at)
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
        if line.first() != self.dash_boundary().first() {
            return Trail::Data;
        }
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
