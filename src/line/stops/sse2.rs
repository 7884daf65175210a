//! Sixteen bytes at a time by SSE2, which every x86_64 processor has.

use core::arch::x86_64::{__m128i, _mm_cmpgt_epi8, _mm_movemask_epi8, _mm_set_epi64x, _mm_set1_epi8};

pub(super) const WIDTH: usize = 16;

#[inline]
pub(super) fn less(lane: &[u8; WIDTH], bound: i8) -> u16 {
    #[expect(unsafe_code, reason = "a function with a target feature is called from one without")]
    // SAFETY: this file is compiled only where SSE2 is enabled for the entire crate.
    unsafe {
        compare(lane, bound)
    }
}

/// A loop that the compiler vectorises: not a minimum, which SSE2 does not have for signed bytes.
#[inline]
pub(super) fn any_less(block: &[u8; 64], bound: i8) -> bool {
    block.iter().fold(false, |any, byte| any | (byte.cast_signed() < bound))
}

#[inline]
#[target_feature(enable = "sse2")]
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the sixteen bits of a move mask")]
fn compare(lane: &[u8; WIDTH], bound: i8) -> u16 {
    _mm_movemask_epi8(_mm_cmpgt_epi8(_mm_set1_epi8(bound), load(lane))) as u16
}

/// It does not read through a pointer. The compiler merges the two halves into one load.
#[inline]
#[target_feature(enable = "sse2")]
fn load(lane: &[u8; WIDTH]) -> __m128i {
    let [low, high] = *lane.as_chunks::<8>().0 else { return _mm_set_epi64x(0, 0) };
    _mm_set_epi64x(i64::from_le_bytes(high), i64::from_le_bytes(low))
}
