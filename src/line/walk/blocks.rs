//! Scans a long line 64 bytes at a time, up to the first block with a stop.

use super::mask::{ByteSet, Stops};

/// The number of leading blocks of 64 bytes without a stop.
pub(super) fn without_stops(bytes: &[u8]) -> usize {
    let blocks = bytes.as_chunks::<64>().0;
    blocks.iter().position(Stops::has_any).unwrap_or(blocks.len())
}

#[cfg(test)]
mod tests {
    use super::without_stops;
    use std::vec;

    #[test]
    fn the_first_stop_decides() {
        for stop in [0, 10, 13, 128, 255] {
            for place in (0..330).step_by(if cfg!(miri) { 61 } else { 1 }) {
                let mut bytes = vec![b'a'; 330];
                bytes[place] = stop;
                assert_eq!(without_stops(&bytes), (place / 64).min(330 / 64), "{stop} at {place}");
            }
        }
        assert_eq!(without_stops(b""), 0);
        assert_eq!(without_stops(&[14; 128]), 2);
        assert_eq!(without_stops(&[127; 127]), 1);
    }
}
