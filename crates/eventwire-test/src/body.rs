//! The body of an answer, as it is in its script.

use std::{io, time::Duration};

use bytes::Bytes;

use crate::{
    faults::End,
    recording::{Lines, Section},
};

/// How a block ends: with the end of its last line and a blank line.
pub(crate) const BLANKS: [&[u8]; 3] = [b"\r\n\r\n", b"\n\n", b"\r\r"];

/// The chunks of a script: first those of a file, which stay there, then those in memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Body {
    pub(crate) section: Option<Section>,
    pub(crate) pieces: Vec<Piece>,
    /// How the response ends after them, if no fault changes it.
    pub(crate) end: End,
}

/// A chunk, and the time before it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Piece {
    pub(crate) wait: Duration,
    /// Without bytes, a pause.
    pub(crate) bytes: Bytes,
}

/// What becomes of the times of a file. Those that a test has written count in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Times {
    /// They are waited for.
    Kept,
    /// The chunks are sent at once.
    Dropped,
}

/// Iterates over the pieces of a body.
#[derive(Debug)]
pub(crate) struct Pieces {
    lines: Option<Lines>,
    times: Times,
    pieces: std::vec::IntoIter<Piece>,
}

impl Body {
    pub(crate) fn pieces(&self, times: Times) -> Pieces {
        let lines = self.section.as_ref().map(Section::lines);
        Pieces { lines, times, pieces: self.pieces.clone().into_iter() }
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
                if let (Ok(piece), Times::Dropped) = (&mut piece, self.times) {
                    piece.wait = Duration::ZERO;
                }
                return Some(piece);
            }
            self.lines = None;
        }
        self.pieces.next().map(Ok)
    }
}
