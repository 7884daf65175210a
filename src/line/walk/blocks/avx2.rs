//! The same with vectors of 32 bytes, where the processor has them.

/// The number of leading blocks of 64 bytes in which there is no stop; `None` without AVX2.
#[inline]
pub(super) fn without_stops(bytes: &[u8]) -> Option<usize> {
    if !std::arch::is_x86_feature_detected!("avx2") {
        return None;
    }
    #[expect(unsafe_code, reason = "a function with a target feature is called from one without")]
    // SAFETY: the processor has AVX2.
    unsafe {
        Some(compiled(bytes))
    }
}

#[target_feature(enable = "avx2")]
fn compiled(bytes: &[u8]) -> usize {
    super::portable(bytes)
}
