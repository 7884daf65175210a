//! Numbers that look random but are the same in every run.

use std::sync::atomic::{AtomicU64, Ordering};

pub(crate) struct Chance(AtomicU64);

impl Chance {
    pub(crate) fn new(seed: u64) -> Chance {
        Chance(AtomicU64::new(seed))
    }

    pub(crate) fn below(&self, bound: u64) -> u64 {
        let state = self.0.load(Ordering::Relaxed).wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        self.0.store(state, Ordering::Relaxed);
        (state >> 33) % bound
    }
}
