//! Eight bytes at a time in an ordinary register, for targets without vectors. The tests of the masks run it on every
//! target.

const LOW: u64 = 0x0101_0101_0101_0101;
const SEVEN: u64 = 0x7F7F_7F7F_7F7F_7F7F;

pub(super) const WIDTH: usize = 8;

#[inline]
pub(super) fn less(lane: &[u8; WIDTH], bound: i8) -> u8 {
    // One multiplication moves the top bits to bit 56 and above.
    (((top_bits(lane, bound) >> 7).wrapping_mul(0x0102_0408_1020_4080)) >> 56) as u8
}

#[inline]
pub(super) fn any_less(block: &[u8; 64], bound: i8) -> bool {
    block.as_chunks().0.iter().fold(0, |any, lane| any | top_bits(lane, bound)) != 0
}

/// The top bits of the bytes that are less.
#[inline]
fn top_bits(lane: &[u8; WIDTH], bound: i8) -> u64 {
    let word = u64::from_le_bytes(*lane);
    // Added to the low seven bits of a byte, it sets the top bit if they are not less.
    let above = LOW * u64::from(0x80 - bound.unsigned_abs());
    (!((word & SEVEN) + above) | word) & !SEVEN
}
