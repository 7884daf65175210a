//! The lines of one chunk.

use super::{
    Piece,
    edge::{self, BOM, Edge},
    mask,
};

/// The lines of one chunk; an iterator of [`Piece`]s, made by [`LineSplitter::lines`](super::LineSplitter::lines).
#[must_use = "a chunk is split as its lines are asked for"]
#[derive(Debug)]
pub struct Lines<'s, 'c> {
    edge: &'s mut Edge,
    chunk: &'c [u8],
    /// Where the next line, or the next piece of one, begins.
    at: usize,
    /// The line ends in the 64 bytes before `scanned` that have not been reached, the last bit the last byte.
    ends: u64,
    /// So far the line ends are known; beyond the chunk's end, where fewer than 64 bytes were left.
    scanned: usize,
}

impl<'c> Iterator for Lines<'_, 'c> {
    type Item = Piece<'c>;

    #[inline(always)] // A line costs less than a call: the decoder's loop is where the state of this walk has to live.
    fn next(&mut self) -> Option<Piece<'c>> {
        let mut first = *self.chunk.get(self.at)?;
        match *self.edge {
            Edge::Start => {}
            Edge::AfterCr => {
                if first == b'\n' {
                    self.at += 1;
                    self.pass_end();
                    *self.edge = Edge::Start;
                    first = *self.chunk.get(self.at)?;
                }
            }
            Edge::Within => return self.rest_of_line(),
            Edge::Bom(seen) => {
                let (edge, passed) = edge::stream_start(seen, self.chunk);
                self.at = passed;
                *self.edge = edge;
                if edge == Edge::Within {
                    // Not a mark: the bytes of it that earlier chunks held are text, and are lent from the constant.
                    return Some(Piece::Head(&BOM[..usize::from(seen)]));
                }
                first = *self.chunk.get(self.at)?;
            }
        }
        // The blank line, every event's last, is told by its first byte alone, before anything is searched.
        if matches!(first, b'\n' | b'\r') {
            self.pass_end();
            return Some(Piece::Whole(self.end_line(self.at)));
        }
        Some(match self.find_end() {
            Some(end) => Piece::Whole(self.end_line(end)),
            None => Piece::Head(self.leave_open()),
        })
    }
}

impl<'s, 'c> Lines<'s, 'c> {
    #[inline]
    pub(super) fn new(edge: &'s mut Edge, chunk: &'c [u8]) -> Lines<'s, 'c> {
        Lines { edge, chunk, at: 0, ends: 0, scanned: 0 }
    }

    /// The bytes of the chunk that have not been looked at: those behind the last piece and its line end.
    ///
    /// After a line that ended with a CR they may begin with the LF that belongs to it.
    #[must_use]
    #[inline]
    pub fn rest(self) -> &'c [u8] {
        &self.chunk[self.at..]
    }

    /// Puts back the last `unread` bytes of the last piece, and its line end, so that the line is open again.
    pub(crate) fn reopen(self, unread: usize) -> &'c [u8] {
        let end = if *self.edge == Edge::Within { self.at } else { self.at - 1 };
        *self.edge = Edge::Within;
        &self.chunk[end - unread..]
    }

    /// What the chunk holds of the line that is open: a tail or a middle; `None` if no line is open.
    #[inline(always)]
    pub(crate) fn rest_of_line(&mut self) -> Option<Piece<'c>> {
        if *self.edge != Edge::Within || self.at == self.chunk.len() {
            return None;
        }
        Some(match self.find_end() {
            Some(end) => Piece::Tail(self.end_line(end)),
            None => Piece::Middle(self.leave_open()),
        })
    }

    #[inline(always)]
    fn end_line(&mut self, end: usize) -> &'c [u8] {
        let line = &self.chunk[self.at..end];
        *self.edge = if self.chunk[end] == b'\r' { Edge::AfterCr } else { Edge::Start };
        self.at = end + 1;
        line
    }

    #[inline(always)]
    fn leave_open(&mut self) -> &'c [u8] {
        let piece = &self.chunk[self.at..];
        *self.edge = Edge::Within;
        self.at = self.chunk.len();
        piece
    }

    /// Forgets the line end that the walk stands at: the first one of `ends`, or none if it was never scanned.
    #[inline(always)]
    fn pass_end(&mut self) {
        self.ends &= self.ends.wrapping_sub(1);
    }

    /// The place of the next line end.
    ///
    /// The first 64 unknown bytes are scanned as one mask, which later calls use up, and what follows by
    /// `memchr2`: a mask alone is slow on long lines, and `memchr2` alone costs more than a short line itself.
    #[inline(always)]
    fn find_end(&mut self) -> Option<usize> {
        if self.ends == 0 {
            let from = self.at.max(self.scanned);
            if from >= self.chunk.len() {
                return None;
            }
            self.ends = mask::line_ends(self.chunk, from);
            self.scanned = from + 64;
            if self.ends == 0 {
                if self.scanned >= self.chunk.len() {
                    return None;
                }
                return Some(self.scanned + memchr::memchr2(b'\n', b'\r', &self.chunk[self.scanned..])?);
            }
        }
        let end = self.scanned - 64 + self.ends.trailing_zeros() as usize;
        self.pass_end();
        Some(end)
    }
}
