//! How many line ends a text has.

use super::{LineSplitter, Piece, walk};

/// How many line ends are in the text, and how many bytes they have; `None` if there is none.
#[inline]
pub(crate) fn line_ends(text: &[u8]) -> Option<(usize, usize)> {
    // A call costs more than a short text itself. A long one is searched several times as fast by vectors as mask by mask.
    let has_any = match text.len() {
        0..=64 => walk::line_end(text, 0).is_some(),
        _ => memchr::memchr2(b'\n', b'\r', text).is_some(),
    };
    has_any.then(|| count(text))
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
