//! Where the line ends of the next 64 bytes are, as a bit mask.
//!
//! Event streams are made of short lines, for which one call of a general search costs more than the line
//! itself. This file turns 64 bytes into one integer; the walk over its bits is `line.rs`'s.

/// Finds the line ends (CR and LF) in the 64 bytes of `chunk` that begin at `from`, or in as many as there are.
///
/// Bit `i` stands for the byte at `from + i`.
#[inline(always)]
pub(super) fn line_ends(chunk: &[u8], from: usize) -> u64 {
    match chunk[from..].first_chunk::<64>() {
        Some(block) => sixty_four(block),
        None => at_the_end(chunk, from),
    }
}

fn at_the_end(chunk: &[u8], from: usize) -> u64 {
    let rest = &chunk[from..];
    match chunk.last_chunk::<64>() {
        // The bytes before `from` are read a second time and shifted out, which costs less than a padded copy of the
        // bytes that are left. In two steps, since nothing may be left.
        Some(block) => (sixty_four(block) >> 1) >> (63 - rest.len()),
        None => fewer(rest),
    }
}

#[inline(always)]
fn sixty_four(block: &[u8; 64]) -> u64 {
    let mut mask = 0;
    for (i, lane) in block.as_chunks::<16>().0.iter().enumerate() {
        mask |= u64::from(sixteen(lane)) << (16 * i);
    }
    mask
}

/// Fewer than 64 bytes. Lanes overlap where the length is no multiple of theirs; their bits agree.
#[inline]
fn fewer(rest: &[u8]) -> u64 {
    let (Some(first), Some(last)) = (rest.first_chunk::<16>(), rest.last_chunk::<16>()) else { return fewest(rest) };
    let mut mask = u64::from(sixteen(first)) | u64::from(sixteen(last)) << (rest.len() - 16);
    for (i, lane) in rest.as_chunks::<16>().0.iter().enumerate().skip(1) {
        mask |= u64::from(sixteen(lane)) << (16 * i);
    }
    mask
}

/// Fewer than 16 bytes.
#[inline]
fn fewest(rest: &[u8]) -> u64 {
    if let (Some(first), Some(last)) = (rest.first_chunk::<8>(), rest.last_chunk::<8>()) {
        let mut lane = [0; 16];
        lane[..8].copy_from_slice(first);
        lane[8..].copy_from_slice(last);
        let mask = u64::from(sixteen(&lane));
        return mask & 0xFF | mask >> 8 << (rest.len() - 8);
    }
    let mut mask = 0;
    for (i, byte) in rest.iter().enumerate() {
        mask |= u64::from(matches!(byte, b'\n' | b'\r')) << i;
    }
    mask
}

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
#[path = "sse2.rs"]
mod sse2;

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
use sse2::sixteen;

#[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
use portable::sixteen;

/// The twin that every target without SSE2 uses, and that every test compares with it.
#[cfg(any(test, not(all(target_arch = "x86_64", target_feature = "sse2"))))]
mod portable {
    const LOW: u64 = 0x0101_0101_0101_0101;
    const SEVEN: u64 = 0x7F7F_7F7F_7F7F_7F7F;

    /// The line ends of sixteen bytes, eight at a time in an ordinary register.
    #[inline]
    pub(super) fn sixteen(lane: &[u8; 16]) -> u16 {
        let [low, high] = *lane.as_chunks::<8>().0 else { return 0 };
        u16::from(eight(low)) | u16::from(eight(high)) << 8
    }

    #[inline]
    fn eight(bytes: [u8; 8]) -> u8 {
        let word = u64::from_le_bytes(bytes);
        let found = zeros(word ^ (LOW * 0x0A)) | zeros(word ^ (LOW * 0x0D));
        // Each byte's top bit, moved to bit 56 and above by one multiplication.
        (((found >> 7).wrapping_mul(0x0102_0408_1020_4080)) >> 56) as u8
    }

    /// The top bit of each byte that is zero. Exact: no carry passes from one byte to the next.
    #[inline]
    fn zeros(word: u64) -> u64 {
        !(((word & SEVEN) + SEVEN) | word | SEVEN)
    }
}

#[cfg(test)]
mod tests {
    use super::{line_ends, portable};
    use std::vec::Vec;

    fn naive(chunk: &[u8], from: usize) -> u64 {
        chunk[from..]
            .iter()
            .take(64)
            .enumerate()
            .filter(|(_, b)| matches!(b, b'\n' | b'\r'))
            .fold(0, |m, (i, _)| m | 1 << i)
    }

    /// Every byte value at every place of a lane, among neighbours that differ by one bit from a line end.
    #[test]
    fn lanes_agree_with_the_obvious_loop() {
        for filler in [0, b'\n' - 1, b'\n' + 1, b'\r' - 1, b'\r' + 1, 0x8A, 0x8D, 0xFF] {
            for place in 0..16 {
                for byte in (0..=255).filter(|byte| !cfg!(miri) || b"\n\r\x0B\x8A\xFF".contains(byte)) {
                    let mut lane = [filler; 16];
                    lane[place] = byte;
                    let expected = naive(&lane, 0);
                    assert_eq!(u64::from(portable::sixteen(&lane)), expected, "{lane:?}");
                    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
                    assert_eq!(u64::from(super::sse2::sixteen(&lane)), expected, "{lane:?}");
                }
            }
        }
    }

    #[test]
    fn every_length_and_start() {
        let text: Vec<u8> = (0..200u32).map(|i| b"\n\rab\x8A\x8D"[(i * i / 7 % 6) as usize]).collect();
        for len in (0..=text.len()).step_by(if cfg!(miri) { 7 } else { 1 }) {
            for from in (0..=len).step_by(if cfg!(miri) { 13 } else { 1 }) {
                assert_eq!(line_ends(&text[..len], from), naive(&text[..len], from), "{len} {from}");
            }
        }
    }
}
