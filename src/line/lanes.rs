//! The vectors of the processor: which bytes of a few are less than a bound.

#[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
use self::neon::compare;
#[cfg(not(any(
    all(target_arch = "x86_64", target_feature = "sse2"),
    all(target_arch = "aarch64", target_feature = "neon")
)))]
use self::portable as vectors;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
use self::sse2::compare;
pub(super) use self::vectors::{WIDTH, any_less, less};

/// Sixteen bytes at a time.
#[cfg(any(
    all(target_arch = "x86_64", target_feature = "sse2"),
    all(target_arch = "aarch64", target_feature = "neon")
))]
mod vectors {
    pub(in crate::line) const WIDTH: usize = 16;

    /// Which bytes of a lane are less than the bound, as bits.
    #[inline]
    pub(in crate::line) fn less(lane: &[u8; WIDTH], bound: i8) -> u16 {
        #[expect(unsafe_code, reason = "a function with a target feature is called from one without")]
        // SAFETY: `compare` is compiled only where its target feature is enabled for the entire crate.
        unsafe {
            super::compare(lane, bound)
        }
    }

    /// A loop that the compiler vectorises.
    #[inline]
    pub(in crate::line) fn any_less(block: &[u8; 64], bound: i8) -> bool {
        block.iter().fold(false, |any, byte| any | (byte.cast_signed() < bound))
    }
}

/// SSE2, which every x86_64 processor has.
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod sse2 {
    use core::arch::x86_64::{__m128i, _mm_cmpgt_epi8, _mm_movemask_epi8, _mm_set_epi64x, _mm_set1_epi8};

    #[inline]
    #[target_feature(enable = "sse2")]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the sixteen bits of a move mask")]
    pub(super) fn compare(lane: &[u8; 16], bound: i8) -> u16 {
        _mm_movemask_epi8(_mm_cmpgt_epi8(_mm_set1_epi8(bound), load(lane))) as u16
    }

    /// It does not read through a pointer. The compiler merges the two halves into one load.
    #[inline]
    #[target_feature(enable = "sse2")]
    fn load(lane: &[u8; 16]) -> __m128i {
        let [low, high] = *lane.as_chunks::<8>().0 else { return _mm_set_epi64x(0, 0) };
        _mm_set_epi64x(i64::from_le_bytes(high), i64::from_le_bytes(low))
    }
}

/// NEON, which every AArch64 processor with an operating system has.
#[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
mod neon {
    use core::arch::aarch64::{
        int8x16_t, vaddv_u8, vandq_u8, vcltq_s8, vcombine_s8, vcombine_u8, vcreate_s8, vcreate_u8, vdupq_n_s8,
        vget_high_u8, vget_low_u8,
    };

    /// For each byte of a half, its bit.
    const BITS: u64 = 0x8040_2010_0804_0201;

    #[inline]
    #[target_feature(enable = "neon")]
    pub(super) fn compare(lane: &[u8; 16], bound: i8) -> u16 {
        let bits = vandq_u8(vcltq_s8(load(lane), vdupq_n_s8(bound)), vcombine_u8(vcreate_u8(BITS), vcreate_u8(BITS)));
        u16::from_le_bytes([vaddv_u8(vget_low_u8(bits)), vaddv_u8(vget_high_u8(bits))])
    }

    /// It does not read through a pointer. The compiler merges the two halves into one load.
    #[inline]
    #[target_feature(enable = "neon")]
    fn load(lane: &[u8; 16]) -> int8x16_t {
        let [low, high] = *lane.as_chunks::<8>().0 else { return vdupq_n_s8(0) };
        vcombine_s8(vcreate_s8(u64::from_le_bytes(low)), vcreate_s8(u64::from_le_bytes(high)))
    }
}

/// Eight bytes at a time in an ordinary register, for targets without vectors. The tests of the masks run it on every
/// target.
#[allow(dead_code, reason = "with vectors, only the tests use it")]
pub(super) mod portable {
    const LOW: u64 = 0x0101_0101_0101_0101;
    const SEVEN: u64 = 0x7F7F_7F7F_7F7F_7F7F;

    pub(in crate::line) const WIDTH: usize = 8;

    #[inline]
    pub(in crate::line) fn less(lane: &[u8; WIDTH], bound: i8) -> u8 {
        // One multiplication moves the top bits to bit 56 and above.
        (((top_bits(lane, bound) >> 7).wrapping_mul(0x0102_0408_1020_4080)) >> 56) as u8
    }

    #[inline]
    pub(in crate::line) fn any_less(block: &[u8; 64], bound: i8) -> bool {
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
}
