//! Sixteen bytes at a time by the vectors of wasm, if the program is built for them.

use core::arch::wasm32::{i8x16_bitmask, i8x16_lt, i8x16_splat, u64x2};

pub(super) const WIDTH: usize = 16;

/// It does not read through a pointer. The compiler merges the two halves into one load.
#[inline]
pub(super) fn less(lane: &[u8; WIDTH], bound: i8) -> u16 {
    let [low, high] = *lane.as_chunks::<8>().0 else { return 0 };
    let lane = u64x2(u64::from_le_bytes(low), u64::from_le_bytes(high));
    i8x16_bitmask(i8x16_lt(lane, i8x16_splat(bound)))
}

#[inline]
pub(super) fn any_less(block: &[u8; 64], bound: i8) -> bool {
    block.as_chunks().0.iter().any(|lane| less(lane, bound) != 0)
}
