//! Whether a text has line ends, and how many.

use super::{LineSplitter, Piece, mask};

/// Whether there is a line end in the text.
#[inline]
pub(crate) fn has_line_end(text: &[u8]) -> bool {
    match text.len() {
        0..=64 => mask::line_ends(text, 0) != 0,
        _ => memchr::memchr2(b'\n', b'\r', text).is_some(),
    }
}

/// How many line ends are in the text, and how many bytes they have.
pub(crate) fn count_line_ends(text: &[u8]) -> (usize, usize) {
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
