//! Randomness for delays.

use core::time::Duration;

/// A pseudorandom sequence: SplitMix64.
#[derive(Clone, Copy, Debug)]
pub(super) struct Jitter {
    state: u64,
}

impl Jitter {
    pub(super) fn new(seed: u64) -> Jitter {
        Jitter { state: seed }
    }

    /// Returns a random duration below `most`, or zero if `most` is zero.
    pub(super) fn up_to(&mut self, most: Duration) -> Duration {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.state;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^= bits >> 31;
        let most = u64::try_from(most.as_nanos()).unwrap_or(u64::MAX);
        let chosen = (u128::from(bits) * u128::from(most)) >> 64;
        Duration::from_nanos(u64::try_from(chosen).unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::Jitter;
    use core::time::Duration;

    /// The first numbers of SplitMix64 with a seed of zero, from its authors' program. Scaling a number to the full
    /// range of 64 bits subtracts one.
    #[test]
    fn it_is_splitmix64() {
        let mut jitter = Jitter::new(0);
        for number in [0xE220_A839_7B1D_CDAF_u64, 0x6E78_9E6A_A1B9_65F4, 0x06C4_5D18_8009_454F] {
            assert_eq!(jitter.up_to(Duration::from_nanos(u64::MAX)), Duration::from_nanos(number - 1));
        }
        assert_eq!(jitter.up_to(Duration::ZERO), Duration::ZERO);
    }
}
