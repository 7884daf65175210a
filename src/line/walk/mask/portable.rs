//! Sixteen bytes at a time in ordinary registers, for targets without SSE2. The tests compare the SSE2 version with
//! this one.

use super::LAST_STOP;

const LOW: u64 = 0x0101_0101_0101_0101;
const SEVEN: u64 = 0x7F7F_7F7F_7F7F_7F7F;
/// Added to the low seven bits of a byte, it sets the top bit if they are not a stop.
const ABOVE: u64 = LOW * (0x7F - LAST_STOP as u64);

#[inline]
pub(super) fn stops(lane: &[u8; 16]) -> u16 {
    by_words(lane, |word| !((word & SEVEN) + ABOVE) | word)
}

#[inline]
pub(super) fn non_ascii(lane: &[u8; 16]) -> u16 {
    by_words(lane, |word| word)
}

/// The top bits of the bytes that `find` returns for each half.
#[inline]
fn by_words(lane: &[u8; 16], find: impl Fn(u64) -> u64) -> u16 {
    let [low, high] = *lane.as_chunks::<8>().0 else { return 0 };
    let top_bits = |bytes| {
        let found = find(u64::from_le_bytes(bytes)) & !SEVEN;
        // One multiplication moves them to bit 56 and above.
        (((found >> 7).wrapping_mul(0x0102_0408_1020_4080)) >> 56) as u16
    };
    top_bits(low) | top_bits(high) << 8
}
