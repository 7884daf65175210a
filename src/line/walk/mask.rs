//! Finds the next relevant bytes of a chunk, as a bit mask.
//!
//! Event streams consist of short lines, and a call of a general search takes longer than such a line. This module
//! turns 64 bytes into one integer, and `Walk` iterates over its bits.

#[cfg_attr(all(target_arch = "x86_64", target_feature = "sse2"), path = "mask/sse2.rs")]
#[cfg_attr(all(target_arch = "aarch64", target_feature = "neon"), path = "mask/neon.rs")]
#[cfg_attr(all(target_arch = "wasm32", target_feature = "simd128"), path = "mask/simd128.rs")]
mod lanes;
#[cfg(test)]
#[path = "mask/lanes.rs"]
mod portable;

use self::lanes::WIDTH;

/// A set of bytes to search for: those that are less than a bound, as signed numbers. All bytes that are not ASCII are
/// less than those that are.
pub(super) trait ByteSet {
    const BOUND: i8;

    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn has(byte: u8) -> bool {
        byte.cast_signed() < Self::BOUND
    }

    /// Which bytes of a lane are in the set. The lowest bit is the first byte.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn among(lane: &[u8; WIDTH]) -> u64 {
        u64::from(lanes::less(lane, Self::BOUND))
    }

    /// Whether any of 64 bytes is in the set.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn has_any(block: &[u8; 64]) -> bool {
        lanes::any_less(block, Self::BOUND)
    }
}

/// Bytes up to CR (0x0D) and all that are not ASCII. One signed comparison finds them.
///
/// All line ends are stops. Bytes without a stop are ASCII and contain neither a line end nor a NUL. So one pass
/// answers three questions.
pub(super) struct Stops;

impl ByteSet for Stops {
    const BOUND: i8 = b'\r'.cast_signed() + 1;
}

/// Bytes that are not ASCII.
pub(super) struct NonAscii;

impl ByteSet for NonAscii {
    const BOUND: i8 = 0;
}

/// Whether the byte is a CR or an LF.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
pub(super) fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// Searches the 64 bytes of `chunk` from `from` on, or all that remain if they are fewer.
///
/// Bit `i` stands for the byte at `from + i`.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
pub(super) fn mask<B: ByteSet>(chunk: &[u8], from: usize) -> u64 {
    let rest = chunk.get(from..).unwrap_or_default();
    if cfg!(target_family = "wasm") {
        return in_little_code::<B>(rest.get(..64).unwrap_or(rest));
    }
    match rest.first_chunk::<64>() {
        Some(block) => whole_lanes::<B>(block),
        None => at_the_end::<B>(chunk, from),
    }
}

fn at_the_end<B: ByteSet>(chunk: &[u8], from: usize) -> u64 {
    let rest = chunk.get(from..).unwrap_or_default();
    match chunk.last_chunk::<64>() {
        // The bytes before `from` are read again and shifted out, which is faster than a padded copy of the
        // remaining bytes. It shifts twice because nothing may remain.
        Some(block) => (whole_lanes::<B>(block) >> 1) >> (63 - rest.len()),
        None => fewer::<B>(rest),
    }
}

/// Up to 64 bytes, in the least code. The last lane overlaps the one before it, or is read twice, and the bits agree.
#[inline]
fn in_little_code<B: ByteSet>(rest: &[u8]) -> u64 {
    match rest.last_chunk() {
        Some(last) => B::among(last) << (rest.len() - WIDTH) | whole_lanes::<B>(rest),
        None => byte_by_byte::<B>(rest),
    }
}

/// The bytes that fill lanes, of up to 64.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
fn whole_lanes<B: ByteSet>(bytes: &[u8]) -> u64 {
    let mut mask = 0;
    for (i, lane) in bytes.as_chunks().0.iter().enumerate() {
        mask |= B::among(lane) << (WIDTH * i);
    }
    mask
}

/// Fewer than 64 bytes. The lanes overlap if the length is not a multiple of theirs, and their bits agree.
#[inline]
fn fewer<B: ByteSet>(rest: &[u8]) -> u64 {
    let (Some(first), Some(last)) = (rest.first_chunk(), rest.last_chunk()) else {
        return fewest::<B>(rest);
    };
    let mut mask = B::among(first) | B::among(last) << (rest.len() - WIDTH);
    for (i, lane) in rest.as_chunks().0.iter().enumerate().skip(1) {
        mask |= B::among(lane) << (WIDTH * i);
    }
    mask
}

/// Fewer bytes than a lane has.
#[inline]
fn fewest<B: ByteSet>(rest: &[u8]) -> u64 {
    if let (Some(first), Some(last)) = (rest.first_chunk::<8>(), rest.last_chunk::<8>())
        && let Some(lane) = [*first, *last].as_flattened().first_chunk()
    {
        let mask = B::among(lane);
        return mask & 0xFF | mask >> 8 << (rest.len() - 8);
    }
    byte_by_byte::<B>(rest)
}

#[inline]
fn byte_by_byte<B: ByteSet>(rest: &[u8]) -> u64 {
    rest.iter().enumerate().fold(0, |mask, (i, byte)| mask | u64::from(B::has(*byte)) << i)
}

#[cfg(test)]
mod tests {
    use super::{ByteSet, NonAscii, Stops, WIDTH, in_little_code, is_line_end, lanes, mask, portable};
    use std::vec::Vec;

    fn naive<B: ByteSet>(chunk: &[u8], from: usize) -> u64 {
        let bytes = chunk[from..].iter().take(64).enumerate();
        bytes.filter(|(_, byte)| B::has(**byte)).fold(0, |mask, (i, _)| mask | 1 << i)
    }

    #[test]
    fn every_byte_value() {
        for byte in 0..=255 {
            assert_eq!(Stops::has(byte), matches!(byte, 0..=13 | 128..), "{byte}");
            assert_eq!(NonAscii::has(byte), byte >= 128, "{byte}");
            assert_eq!(is_line_end(byte), matches!(byte, 10 | 13), "{byte}");
        }
    }

    /// Every byte value at every position of a lane, among neighbours that differ by one from the bytes to be found.
    #[test]
    fn lanes_agree_with_the_obvious_loop() {
        for filler in [0, 9, 10, 11, 12, 13, 14, 127, 128, 138, 141, 255] {
            for place in (0..WIDTH).step_by(if cfg!(miri) { 5 } else { 1 }) {
                for byte in (0..=255).filter(|byte| !cfg!(miri) || b"\0\n\r\x0E\x7F\x80\x8A\xFF".contains(byte)) {
                    let mut lane = [filler; WIDTH];
                    lane[place] = byte;
                    assert_eq!(Stops::among(&lane), naive::<Stops>(&lane, 0), "{lane:?}");
                    assert_eq!(NonAscii::among(&lane), naive::<NonAscii>(&lane, 0), "{lane:?}");
                    for half in lane.as_chunks().0 {
                        let less = |bound| u64::from(portable::less(half, bound));
                        assert_eq!(less(Stops::BOUND), naive::<Stops>(half, 0), "{lane:?}");
                        assert_eq!(less(NonAscii::BOUND), naive::<NonAscii>(half, 0), "{lane:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn any_of_64() {
        for byte in 0..=255 {
            for place in (0..64).step_by(if cfg!(miri) { 21 } else { 1 }) {
                let mut block = [b'a'; 64];
                block[place] = byte;
                for any_less in [portable::any_less, lanes::any_less] {
                    assert_eq!(any_less(&block, Stops::BOUND), Stops::has(byte), "{byte} at {place}");
                    assert_eq!(any_less(&block, NonAscii::BOUND), NonAscii::has(byte), "{byte} at {place}");
                }
            }
        }
    }

    #[test]
    fn every_length_and_start() {
        let text: Vec<u8> = (0..200u32).map(|i| b"\n\rab\x8A\x8D"[(i * i / 7 % 6) as usize]).collect();
        for len in (0..=text.len()).step_by(if cfg!(miri) { 7 } else { 1 }) {
            for from in (0..=len).step_by(if cfg!(miri) { 13 } else { 1 }) {
                let chunk = &text[..len];
                assert_eq!(mask::<Stops>(chunk, from), naive::<Stops>(chunk, from), "{len} {from}");
                assert_eq!(mask::<NonAscii>(chunk, from), naive::<NonAscii>(chunk, from), "{len} {from}");
                // What a mask is on wasm.
                let rest = &chunk[from..len.min(from + 64)];
                assert_eq!(in_little_code::<Stops>(rest), naive::<Stops>(chunk, from), "{len} {from}");
            }
        }
    }
}
