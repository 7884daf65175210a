//! The body of an answer, as it is in its script.

use std::{io, time::Duration};

use bytes::Bytes;

use crate::recording::{Lines, Section};

/// The chunks of a script: first those of a file, which stay there, then those in memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Body {
    pub(crate) section: Option<Section>,
    pub(crate) pieces: Vec<Piece>,
}

/// A chunk, and the time before it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Piece {
    pub(crate) wait: Duration,
    /// Without bytes, a pause.
    pub(crate) bytes: Bytes,
}

/// Iterates over the pieces of a body.
#[derive(Debug)]
pub(crate) struct Pieces {
    lines: Option<Lines>,
    keeps_times: bool,
    pieces: std::vec::IntoIter<Piece>,
}

impl Body {
    /// Returns the pieces. Those of a file keep their times, or have none.
    pub(crate) fn pieces(&self, keeps_times: bool) -> Pieces {
        let lines = self.section.as_ref().map(Section::lines);
        Pieces { lines, keeps_times, pieces: self.pieces.clone().into_iter() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.section.is_none() && self.pieces.is_empty()
    }
}

impl Iterator for Pieces {
    type Item = io::Result<Piece>;

    fn next(&mut self) -> Option<io::Result<Piece>> {
        if let Some(lines) = &mut self.lines {
            if let Some(mut piece) = lines.next() {
                if let (Ok(piece), false) = (&mut piece, self.keeps_times) {
                    piece.wait = Duration::ZERO;
                }
                return Some(piece);
            }
            self.lines = None;
        }
        self.pieces.next().map(Ok)
    }
}
