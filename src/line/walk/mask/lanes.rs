//! Sixteen bytes at a time in ordinary registers, for targets without vectors. The tests compare the other versions
//! with this one.

const LOW: u64 = 0x0101_0101_0101_0101;
const SEVEN: u64 = 0x7F7F_7F7F_7F7F_7F7F;

#[inline]
pub(super) fn less(lane: &[u8; 16], bound: i8) -> u16 {
    let [low, high] = *lane.as_chunks::<8>().0 else { return 0 };
    // Added to the low seven bits of a byte, it sets the top bit if they are not less.
    let above = LOW * u64::from(0x80 - bound.unsigned_abs());
    let top_bits = |bytes| {
        let word = u64::from_le_bytes(bytes);
        let found = (!((word & SEVEN) + above) | word) & !SEVEN;
        // One multiplication moves them to bit 56 and above.
        (((found >> 7).wrapping_mul(0x0102_0408_1020_4080)) >> 56) as u16
    };
    top_bits(low) | top_bits(high) << 8
}
