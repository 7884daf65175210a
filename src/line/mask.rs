//! Finds the stops of a chunk, as a bit mask.
//!
//! Event streams consist of short lines, and a call of a general search takes longer than such a line. So 64 bytes
//! become one integer, and [`Stops`](super::Stops) iterates over its bits.
//!
//! Both kinds of bytes that are searched for are those below a bound, as signed numbers: all bytes that are not ASCII
//! are negative.

use super::lanes::{self, WIDTH};

/// The bound of the stops: bytes up to CR (0x0D), and all that are not ASCII.
///
/// All line ends are stops. Bytes without a stop are ASCII and contain neither a line end nor a NUL. So one pass
/// answers three questions.
pub(super) const STOP: i8 = b'\r'.cast_signed() + 1;

/// The bound of the bytes that are not ASCII.
pub(super) const NOT_ASCII: i8 = 0;

/// Searches the 64 bytes of `chunk` from `from` on, or all that remain if they are fewer.
///
/// Bit `i` stands for the byte at `from + i`.
#[inline(always)]
pub(super) fn mask(chunk: &[u8], from: usize, bound: i8) -> u64 {
    let rest = chunk.get(from..).unwrap_or_default();
    match (rest.first_chunk::<64>(), chunk.last_chunk::<64>()) {
        (Some(block), _) => whole_lanes(block, bound),
        // The bytes before `from` are read again and shifted out, which is faster than a padded copy of the remaining
        // bytes. It shifts twice because nothing may remain.
        (None, Some(block)) => (whole_lanes(block, bound) >> 1) >> (63 - rest.len()),
        (None, None) => fewer(rest, bound),
    }
}

/// The number of leading blocks of 64 bytes without a stop.
pub(super) fn blocks_without_stops(bytes: &[u8]) -> usize {
    let blocks = bytes.as_chunks::<64>().0;
    blocks.iter().position(|block| lanes::any_less(block, STOP)).unwrap_or(blocks.len())
}

#[inline(always)]
fn whole_lanes(bytes: &[u8], bound: i8) -> u64 {
    let lanes = bytes.as_chunks().0.iter().enumerate();
    lanes.fold(0, |mask, (i, lane)| mask | u64::from(lanes::less(lane, bound)) << (WIDTH * i))
}

/// Fewer than 64 bytes. The last ones overlap the first ones, and their bits agree.
#[inline]
fn fewer(rest: &[u8], bound: i8) -> u64 {
    let ends = both_ends::<32>(rest, bound).or_else(|| both_ends::<16>(rest, bound));
    ends.unwrap_or_else(|| fewest(rest, bound))
}

/// From `N` to twice as many bytes.
#[inline(always)]
fn both_ends<const N: usize>(rest: &[u8], bound: i8) -> Option<u64> {
    let (first, last) = (rest.first_chunk::<N>()?, rest.last_chunk::<N>()?);
    Some(whole_lanes(first, bound) | whole_lanes(last, bound) << (rest.len() - N))
}

/// Fewer than 16 bytes.
#[inline]
fn fewest(rest: &[u8], bound: i8) -> u64 {
    if let (Some(first), Some(last)) = (rest.first_chunk::<8>(), rest.last_chunk::<8>()) {
        // One lane of 16 bytes, or two.
        let mask = whole_lanes([*first, *last].as_flattened(), bound);
        return mask & 0xFF | mask >> 8 << (rest.len() - 8);
    }
    rest.iter().enumerate().fold(0, |mask, (i, byte)| mask | u64::from(byte.cast_signed() < bound) << i)
}

#[cfg(test)]
mod tests {
    use super::{NOT_ASCII, STOP, WIDTH, blocks_without_stops, lanes, mask};
    use crate::line::lanes::portable;
    use std::{vec, vec::Vec};

    fn naive(chunk: &[u8], from: usize, bound: i8) -> u64 {
        let bytes = chunk[from..].iter().take(64).enumerate();
        bytes.filter(|(_, byte)| byte.cast_signed() < bound).fold(0, |mask, (i, _)| mask | 1 << i)
    }

    #[test]
    fn every_byte_value() {
        for byte in 0..=255_u8 {
            assert_eq!(byte.cast_signed() < STOP, matches!(byte, 0..=13 | 128..), "{byte}");
            assert_eq!(byte.cast_signed() < NOT_ASCII, byte >= 128, "{byte}");
        }
    }

    /// All bytes. Under Miri, which is slow and looks for undefined behavior only, those beside the bounds.
    fn bytes() -> impl Iterator<Item = u8> {
        (0..=255).filter(|byte| !cfg!(miri) || b"\0\n\r\x0E\x7F\x80\x8A\xFF".contains(byte))
    }

    /// Every byte value at every position of a lane, among neighbours that differ by one from the bytes to be found.
    #[test]
    fn lanes_agree_with_the_obvious_loop() {
        for filler in [0, 9, 10, 11, 12, 13, 14, 127, 128, 138, 141, 255] {
            for place in (0..WIDTH).step_by(if cfg!(miri) { 13 } else { 1 }) {
                for byte in bytes() {
                    for bound in [STOP, NOT_ASCII] {
                        let mut lane = [filler; WIDTH];
                        lane[place] = byte;
                        assert_eq!(u64::from(lanes::less(&lane, bound)), naive(&lane, 0, bound), "{lane:?}");
                        for half in lane.as_chunks().0 {
                            assert_eq!(u64::from(portable::less(half, bound)), naive(half, 0, bound), "{lane:?}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn any_of_64() {
        for byte in bytes() {
            for place in (0..64).step_by(if cfg!(miri) { 21 } else { 1 }) {
                let mut block = [b'a'; 64];
                block[place] = byte;
                for any_less in [portable::any_less, lanes::any_less] {
                    assert_eq!(any_less(&block, STOP), byte.cast_signed() < STOP, "{byte} at {place}");
                }
            }
            // Two of them do not cancel each other.
            for any_less in [portable::any_less, lanes::any_less] {
                assert_eq!(any_less(&[byte; 64], STOP), byte.cast_signed() < STOP, "{byte} everywhere");
            }
        }
    }

    #[test]
    fn every_length_and_start() {
        // The bytes beside the bounds are among them.
        let bytes = b"\n\r\x0Eb\x8A\xFF\0\x7F";
        let text: Vec<u8> = (0..200u32).map(|i| bytes[(i * i / 7 % 8) as usize]).collect();
        for len in (0..=text.len()).step_by(if cfg!(miri) { 7 } else { 1 }) {
            for from in (0..=len).step_by(if cfg!(miri) { 13 } else { 1 }) {
                for bound in [STOP, NOT_ASCII] {
                    let chunk = &text[..len];
                    assert_eq!(mask(chunk, from, bound), naive(chunk, from, bound), "{len} {from}");
                }
            }
        }
    }

    #[test]
    fn the_first_stop_decides() {
        for stop in [0, 10, 13, 128, 255] {
            for place in (0..330).step_by(if cfg!(miri) { 61 } else { 1 }) {
                let mut bytes = vec![b'a'; 330];
                bytes[place] = stop;
                assert_eq!(blocks_without_stops(&bytes), (place / 64).min(330 / 64), "{stop} at {place}");
            }
        }
        assert_eq!(blocks_without_stops(b""), 0);
        assert_eq!(blocks_without_stops(&[14; 128]), 2);
        assert_eq!(blocks_without_stops(&[127; 127]), 1);
    }
}
