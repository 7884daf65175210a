//! Randomness from the standard library.

/// Returns a random number: the standard library's hash maps have random keys.
#[cfg(not(all(target_arch = "wasm32", target_os = "unknown")))]
#[must_use]
pub fn random_seed() -> u64 {
    use core::hash::{BuildHasher, Hasher};
    std::hash::RandomState::new().build_hasher().finish()
}

/// Returns zero: the keys are the same in every page, and the hasher would be code in each of them.
#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
#[must_use]
pub fn random_seed() -> u64 {
    0
}
