//! Where jitter begins.

/// A number that is another one in each process, and each time, where the standard library has such numbers.
#[cfg(not(all(feature = "reqwest", target_arch = "wasm32", any(target_os = "unknown", target_os = "none"))))]
pub(super) fn random() -> u64 {
    use core::hash::{BuildHasher, Hasher};
    // The keys of the standard library's hash maps, which are random for that very reason.
    std::hash::RandomState::new().build_hasher().finish()
}

/// A number that is another one in each browser, and each time; the standard library has none there.
#[cfg(all(feature = "reqwest", target_arch = "wasm32", any(target_os = "unknown", target_os = "none")))]
pub(super) fn random() -> u64 {
    js_sys::Math::random().to_bits()
}
