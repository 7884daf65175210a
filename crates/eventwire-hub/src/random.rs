//! Random numbers.

use std::hash::{BuildHasher, Hasher, RandomState};

/// Returns a random number. The standard library has no other source of them than the seeds of its hash maps.
pub(crate) fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}
