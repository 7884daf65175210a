//! The body of a part, and the bytes between it and the next part.

use super::{
    Found, Next, Place,
    delimiter::{Delimiter, Trail, extend_trail, find_line_end, pass_blocks},
};
use crate::PartEnd;
use alloc::vec::Vec;

/// Reads bytes up to the next delimiter, or up to the length of the part.
#[derive(Clone, Debug)]
pub(super) struct Body {
    /// Whether the bytes are the body of a part. Otherwise they are ignored: they follow a part that ended with its
    /// length, or are the body of a part that is skipped.
    is_part: bool,
    /// How many bytes of the part's length have not been returned yet, including the held ones.
    left: Option<u64>,
    held: Held,
}

/// Bytes that have been read and may be a delimiter or data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Held {
    Nothing,
    /// The bytes equal this range of the delimiter. The delimiter begins with CRLF, so `from` is 1 after a lone LF,
    /// and 2 where no line end is needed. If the delimiter has been matched completely, the buffer stores the known
    /// bytes of its trail.
    Matched {
        from: usize,
        to: usize,
    },
    /// The bytes of the buffer from this position on: the trail of a dash-boundary that is not a delimiter.
    Trail {
        from: usize,
    },
}

/// At this position a delimiter needs no line end before it.
const LINE_START: Held = Held::Matched { from: 2, to: 2 };

/// `Body::take` refuses longer chunks than this, because those that it does not take are searched a second time.
const MOST_TAKEN: usize = 2048;

impl Body {
    /// Returns the body of a part that begins here.
    pub(super) fn new(length: Option<u64>) -> Body {
        Body { is_part: true, left: length, held: LINE_START }
    }

    /// Returns the body of a part that is skipped.
    pub(super) fn skipped() -> Body {
        Body { is_part: false, left: None, held: Held::Nothing }
    }

    /// Whether nothing can be returned before more bytes arrive.
    #[inline]
    pub(super) fn is_idle(&self) -> bool {
        self.held == Held::Nothing && self.left != Some(0)
    }

    /// Takes a chunk that is data of the part as a whole, if nothing in it looks like a delimiter.
    ///
    /// Most chunks of a large body are. The general path takes three times as long for one of 64 bytes.
    #[inline]
    pub(super) fn take(&mut self, chunk: &[u8]) -> bool {
        let is_data = self.held == Held::Nothing
            && self.is_part
            && chunk.len() + 1 < self.most_left()
            && chunk.len() <= MOST_TAKEN
            && chunk.last().is_some_and(|last| !matches!(last, b'\r' | b'\n'))
            && pass_blocks(chunk) == chunk.len();
        if is_data {
            self.emit(chunk.len());
        }
        is_data
    }

    /// Continues with the bytes after a part that ended with its length.
    ///
    /// Held bytes that do not belong to the part are matched again, because a delimiter needs no line end here.
    fn end_with_length(&mut self, buffer: &mut Vec<u8>, delimiter: &Delimiter) {
        self.is_part = false;
        self.left = None;
        let full = delimiter.bytes().len();
        let held = match self.held {
            // This is checked first because comparing with no bytes would take longer than the rest of this function.
            Held::Nothing | LINE_START => {
                self.held = LINE_START;
                return;
            }
            Held::Matched { from, to } if to < full => delimiter.bytes()[from..to].to_vec(),
            Held::Matched { from, .. } => [&delimiter.bytes()[from..], buffer].concat(),
            Held::Trail { from } => buffer[from..].to_vec(),
        };
        if delimiter.dash_boundary().starts_with(&held) {
            self.match_to(2, 2 + held.len(), buffer, delimiter);
        } else if let Some(trail) = held.strip_prefix(delimiter.dash_boundary()) {
            self.match_to(2, full, buffer, delimiter);
            buffer.extend_from_slice(trail);
        }
    }

    /// Reads up to the next piece, and returns it with what follows. The piece is missing if the bytes are ignored.
    /// Without any result, the chunk is used up. With `is_end` no bytes follow, and all held bytes are returned.
    pub(super) fn read(
        &mut self,
        chunk: &[u8],
        used: &mut usize,
        buffer: &mut Vec<u8>,
        delimiter: &Delimiter,
        is_end: bool,
    ) -> Option<(Option<Found>, Next)> {
        loop {
            if self.left == Some(0) {
                self.end_with_length(buffer, delimiter);
                return Some((Some(Found::PartEnd(PartEnd::Length)), Next::Body));
            }
            if let Some(place) = self.last_line_end() {
                return Some((Some(Found::Data(place)), Next::Body));
            }
            let rest = &chunk[*used..];
            match self.held {
                Held::Matched { to, .. } if to == delimiter.bytes().len() => {
                    let known = buffer.len();
                    let trail = if known == 0 {
                        delimiter.trail(rest, is_end)
                    } else {
                        extend_trail(buffer, rest);
                        delimiter.trail(buffer, is_end)
                    };
                    match trail {
                        Trail::Open => {
                            if known == 0 {
                                extend_trail(buffer, rest);
                            }
                            *used = chunk.len();
                            return None;
                        }
                        Trail::Delimiter(len, next) => {
                            *used += len - known;
                            let has_length = self.left.is_some();
                            let end = if has_length { PartEnd::DelimiterBeforeLength } else { PartEnd::Delimiter };
                            return Some((self.end(end), next));
                        }
                        Trail::Data => buffer.truncate(known),
                    }
                }
                LINE_START if !self.is_part && rest.starts_with(delimiter.bytes()) => {
                    // The usual case after a part that ended with its length.
                    let len = delimiter.bytes().len();
                    *used += len;
                    self.match_to(0, len, buffer, delimiter);
                    continue;
                }
                LINE_START if !rest.is_empty() && rest.first() != delimiter.dash_boundary().first() => {
                    self.held = Held::Nothing;
                    continue;
                }
                Held::Matched { from, to } => {
                    let expected = &delimiter.bytes()[to..];
                    let len = common_len(rest, expected);
                    if len > 0 {
                        *used += len;
                        self.match_to(from, to + len, buffer, delimiter);
                        continue;
                    }
                    if rest.is_empty() && !is_end {
                        return None;
                    }
                }
                Held::Nothing if rest.is_empty() => {
                    return is_end.then(|| (self.end(PartEnd::EndOfStream), Next::EndOfStream));
                }
                Held::Nothing | Held::Trail { .. } => {}
            }
            let data = match self.held {
                Held::Nothing => self.search(chunk, used, buffer, delimiter),
                Held::Matched { .. } | Held::Trail { .. } => self.release(buffer, delimiter),
            };
            if let Some(place) = data
                && self.is_part
            {
                return Some((Some(Found::Data(place)), Next::Body));
            }
        }
    }

    /// Returns the end of the part, if there is one here.
    fn end(&self, end: PartEnd) -> Option<Found> {
        self.is_part.then_some(Found::PartEnd(end))
    }

    /// Returns the rest of the part, if it is a held line end without a byte of the dash-boundary.
    fn last_line_end(&mut self) -> Option<Place> {
        let left = self.left?;
        let Held::Matched { from, to } = self.held else { return None };
        let line_end = to.min(2).saturating_sub(from);
        let left = usize::try_from(left).ok().filter(|&left| left <= line_end)?;
        self.held = Held::Matched { from: from + left, to };
        self.emit(left);
        Some(Place::Delimiter(from..from + left))
    }

    /// Returns the held bytes as data, up to the part's length, because they are not a delimiter.
    fn release(&mut self, buffer: &[u8], delimiter: &Delimiter) -> Option<Place> {
        let (from, to, is_trail) = match self.held {
            Held::Nothing => return None,
            Held::Matched { from, to } => (from, to, false),
            Held::Trail { from } => (from, buffer.len(), true),
        };
        let end = from + self.most_left().min(to - from);
        self.emit(end - from);
        self.held = match is_trail {
            true if end < to => Held::Trail { from: end },
            false if end < to => Held::Matched { from: end, to },
            false if to == delimiter.bytes().len() && !buffer.is_empty() => Held::Trail { from: 0 },
            _ => Held::Nothing,
        };
        let place = if is_trail { Place::Buffer(from..end) } else { Place::Delimiter(from..end) };
        (from < end).then_some(place)
    }

    /// Searches the rest of the chunk for the start of a delimiter, and returns the data before it.
    ///
    /// It searches for the LF before the dash-boundary. Each byte is compared with the dash-boundary at most once,
    /// because the dash-boundary contains no LF, so this takes linear time for any input.
    #[inline]
    fn search(&mut self, chunk: &[u8], used: &mut usize, buffer: &mut Vec<u8>, delimiter: &Delimiter) -> Option<Place> {
        let start = *used;
        let rest = &chunk[start..];
        let left = self.most_left();
        let within = left.min(rest.len());
        // A line end as the last bytes within the length belongs to the body, because most such bodies really end with
        // one. If the first byte of the dash-boundary is within the length too, the bytes after it decide.
        let reach = (left - 1).min(rest.len());
        let dash_boundary = delimiter.dash_boundary();
        let mut from = 0;
        while let Some(at) = find_line_end(&rest[from..rest.len().min(reach + 2)])
            && from + at < reach
        {
            let line = from + at + 1;
            let len = common_len(&rest[line..], dash_boundary);
            if len == dash_boundary.len() || line + len == rest.len() {
                let is_crlf = line > 1 && rest[line - 2] == b'\r';
                let end = line - if is_crlf { 2 } else { 1 };
                *used = start + line + len;
                self.emit(end);
                self.match_to(usize::from(!is_crlf), 2 + len, buffer, delimiter);
                return (end > 0).then_some(Place::Chunk(start..start + end));
            }
            from = line + len;
            if from > reach {
                break;
            }
        }
        // A CR at the end may be the start of a delimiter's CRLF.
        let is_cr_held = within == rest.len() && within + 1 < left && rest[within - 1] == b'\r';
        let end = within - usize::from(is_cr_held);
        *used = start + within;
        self.emit(end);
        if is_cr_held {
            self.held = Held::Matched { from: 0, to: 1 };
        }
        (end > 0).then_some(Place::Chunk(start..start + end))
    }

    /// Records how much of a delimiter has been matched.
    fn match_to(&mut self, from: usize, to: usize, buffer: &mut Vec<u8>, delimiter: &Delimiter) {
        self.held = Held::Matched { from, to };
        if to == delimiter.bytes().len() {
            // Its trail follows, which is collected in the buffer.
            buffer.clear();
        }
    }

    /// Returns how many of the next bytes can belong to the part at most.
    fn most_left(&self) -> usize {
        self.left.map_or(usize::MAX, |left| usize::try_from(left).unwrap_or(usize::MAX))
    }

    /// Subtracts returned bytes from the length of the part.
    fn emit(&mut self, len: usize) {
        if let Some(left) = &mut self.left {
            *left = left.saturating_sub(u64::try_from(len).unwrap_or(u64::MAX));
        }
    }
}

/// Returns the length of the common prefix.
#[inline]
fn common_len(bytes: &[u8], expected: &[u8]) -> usize {
    if bytes.starts_with(expected) {
        return expected.len();
    }
    bytes.iter().zip(expected).take_while(|(byte, expected)| byte == expected).count()
}
