//! Sixteen bytes at a time by SSE2, which every x86_64 processor has.

use core::arch::x86_64::{_mm_cmpeq_epi8, _mm_movemask_epi8, _mm_or_si128, _mm_set_epi64x, _mm_set1_epi8};

/// The line ends of sixteen bytes.
#[inline]
pub(super) fn sixteen(lane: &[u8; 16]) -> u16 {
    #[expect(unsafe_code, reason = "a function with a target feature is called from one without")]
    // SAFETY: this file is compiled only where SSE2 is enabled for the whole crate.
    unsafe {
        compare(lane)
    }
}

/// No pointer is read here: the compiler makes one load of the two halves.
#[inline]
#[target_feature(enable = "sse2")]
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the sixteen bits of a move mask")]
fn compare(lane: &[u8; 16]) -> u16 {
    let [low, high] = *lane.as_chunks::<8>().0 else { return 0 };
    let bytes = _mm_set_epi64x(i64::from_le_bytes(high), i64::from_le_bytes(low));
    let lf = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(0x0A));
    let cr = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(0x0D));
    _mm_movemask_epi8(_mm_or_si128(lf, cr)) as u16
}
