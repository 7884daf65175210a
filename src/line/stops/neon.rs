//! Sixteen bytes at a time by NEON, which every AArch64 processor with an operating system has.

use core::arch::aarch64::{
    int8x16_t, vaddv_u8, vandq_u8, vcltq_s8, vcombine_s8, vcombine_u8, vcreate_s8, vcreate_u8, vdupq_n_s8,
    vget_high_u8, vget_low_u8,
};

pub(super) const WIDTH: usize = 16;

/// For each byte of a half, its bit.
const BITS: u64 = 0x8040_2010_0804_0201;

#[inline]
pub(super) fn less(lane: &[u8; WIDTH], bound: i8) -> u16 {
    #[expect(unsafe_code, reason = "a function with a target feature is called from one without")]
    // SAFETY: this file is compiled only where NEON is enabled for the entire crate.
    unsafe {
        compare(lane, bound)
    }
}

/// A loop that the compiler vectorises: a minimum, because NEON has no mask of bytes.
#[inline]
pub(super) fn any_less(block: &[u8; 64], bound: i8) -> bool {
    block.iter().fold(i8::MAX, |least, byte| least.min(byte.cast_signed())) < bound
}

#[inline]
#[target_feature(enable = "neon")]
fn compare(lane: &[u8; WIDTH], bound: i8) -> u16 {
    let bits = vandq_u8(vcltq_s8(load(lane), vdupq_n_s8(bound)), vcombine_u8(vcreate_u8(BITS), vcreate_u8(BITS)));
    u16::from_le_bytes([vaddv_u8(vget_low_u8(bits)), vaddv_u8(vget_high_u8(bits))])
}

/// It does not read through a pointer. The compiler merges the two halves into one load.
#[inline]
#[target_feature(enable = "neon")]
fn load(lane: &[u8; WIDTH]) -> int8x16_t {
    let [low, high] = *lane.as_chunks::<8>().0 else { return vdupq_n_s8(0) };
    vcombine_s8(vcreate_s8(u64::from_le_bytes(low)), vcreate_s8(u64::from_le_bytes(high)))
}
