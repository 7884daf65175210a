//! Where the line ends of the next 64 bytes are, as a bit mask.
//!
//! Event streams are made of short lines, for which one call of a general search costs more than the line
//! itself. This file turns 64 bytes into one integer; `Lines` walks over its bits.

#[cfg(any(test, not(all(target_arch = "x86_64", target_feature = "sse2"))))]
mod portable;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod sse2;

#[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
use self::portable::sixteen;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
use self::sse2::sixteen;

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
