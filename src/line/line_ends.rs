//! How many line ends a text has.

use super::{LineSplitter, Piece, walk};

/// How many line ends are in the text, and how many bytes they have; `None` if there is none.
#[inline]
pub(crate) fn line_ends(text: &[u8]) -> Option<(usize, usize)> {
    walk::line_end(text, 0).map(|_| count(text))
}

fn count(text: &[u8]) -> (usize, usize) {
    if memchr::memchr(b'\r', text).is_none() {
        // Each LF is one, and bytes of one value are counted several times as fast as lines.
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
