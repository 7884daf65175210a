//! The lines of one chunk.

use super::{Piece, Walk, edge::Edge};

/// An iterator over the lines of one chunk, as [`Piece`]s; [`LineSplitter::lines`](super::LineSplitter::lines)
/// returns it.
#[must_use = "a chunk is split lazily, as the iterator advances"]
#[derive(Debug)]
pub struct Lines<'s, 'c> {
    edge: &'s mut Edge,
    walk: Walk<'c>,
}

impl<'c> Iterator for Lines<'_, 'c> {
    type Item = Piece<'c>;

    #[cfg_attr(not(target_family = "wasm"), inline(always))] // A short line takes less time than a call.
    fn next(&mut self) -> Option<Piece<'c>> {
        let part = self.walk.part();
        *self.edge = self.walk.edge();
        part.map(|(part, text)| part.piece(text))
    }
}

impl<'s, 'c> Lines<'s, 'c> {
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn new(edge: &'s mut Edge, chunk: &'c [u8]) -> Lines<'s, 'c> {
        let walk = Walk::new(*edge, chunk);
        Lines { edge, walk }
    }

    /// Returns the bytes of the chunk that have not been read: those after the last piece and its line end.
    ///
    /// After a line that ended with a CR, they may begin with the LF that belongs to it.
    ///
    /// ```
    /// use eventwire::line::{LineSplitter, Piece};
    ///
    /// let mut splitter = LineSplitter::new();
    /// let mut lines = splitter.lines(b"one\ntwo\n");
    /// assert_eq!(lines.next(), Some(Piece::Whole(b"one")));
    /// assert_eq!(lines.rest(), b"two\n");
    /// ```
    #[must_use]
    #[inline]
    pub fn rest(self) -> &'c [u8] {
        self.walk.rest()
    }
}
