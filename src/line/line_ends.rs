//! Counts the line ends of a text.

use super::{LineSplitter, Piece, walk};

/// Returns the number of line ends in the text, and their total length in bytes; `None` if the text has no line end.
#[inline]
pub(crate) fn line_ends(text: &[u8]) -> Option<(usize, usize)> {
    walk::line_end(text, 0).map(|_| count(text))
}

fn count(text: &[u8]) -> (usize, usize) {
    if memchr::memchr(b'\r', text).is_none() {
        // Each LF is one line end, and counting bytes of one value is several times as fast as splitting lines.
        let ends = memchr::memchr_iter(b'\n', text).count();
        return (ends, ends);
    }
    let (mut ends, mut len) = (0, text.len());
    for piece in LineSplitter::within_stream().lines(text) {
        match piece {
            Piece::Whole(line) => {
                ends += 1;
                len -= line.len();
            }
            Piece::Head(line) | Piece::Middle(line) | Piece::Tail(line) => len -= line.len(),
        }
    }
    (ends, len)
}
