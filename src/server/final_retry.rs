//! The reconnection time that a body sends when a signal ends it.

use crate::server::random::random_seed;
use core::{ops::RangeInclusive, time::Duration};

/// Returns a random time in this range.
pub(super) fn random(times: &RangeInclusive<Duration>) -> Duration {
    spread(times, random_seed())
}

/// Returns the time in this range that belongs to a seed.
///
/// Multiplication by 2^64 divided by the golden ratio spreads consecutive numbers evenly over all 64 bits. Random
/// numbers stay random.
fn spread(times: &RangeInclusive<Duration>, seed: u64) -> Duration {
    // Rounded up, so that it is not below the start.
    let least = times.start().as_nanos().div_ceil(1_000_000);
    let count = times.end().as_millis().saturating_sub(least) + 1;
    let bits = u128::from(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    // The milliseconds of a `Duration` fit into 74 bits. An encoded time is limited to 64 bits.
    let count = count.min(1 << 64);
    let millis = least.saturating_add((bits * count) >> 64);
    Duration::from_millis(u64::try_from(millis).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::spread;
    use alloc::collections::BTreeSet;
    use core::time::Duration;
    use proptest::prelude::*;

    const FIVE: Duration = Duration::from_secs(5);

    proptest! {
        // Miri has no file system for recorded failures.
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_time_of_the_range(least: u32, more: u32, seed: u64) {
            // The range contains a whole millisecond.
            let least = Duration::from_nanos(u64::from(least) * 7919);
            let times = least..=least + Duration::from_millis(1) + Duration::from_nanos(u64::from(more) * 7919);
            let time = spread(&times, seed);
            prop_assert!(times.contains(&time), "{time:?}");
            prop_assert_eq!(spread(&times, seed), time);
        }
    }

    #[test]
    fn consecutive_seeds_are_spread_evenly() {
        let times = Duration::from_secs(1)..=Duration::from_millis(10_999);
        for first in [0, 1_000_000, u64::MAX - 500] {
            let mut seconds = [0; 10];
            for count in 0..1000 {
                let time = spread(&times, first.wrapping_add(count));
                seconds[usize::try_from(time.as_secs()).unwrap_or_default() - 1] += 1;
            }
            assert!(seconds.iter().all(|count| (90..=110).contains(count)), "{seconds:?}");
        }
    }

    #[test]
    fn a_range_includes_both_ends() {
        let times = Duration::from_millis(7)..=Duration::from_millis(9);
        let chosen: BTreeSet<Duration> = (0..20).map(|seed| spread(&times, seed)).collect();
        assert_eq!(chosen, [7, 8, 9].map(Duration::from_millis).into());
    }

    #[test]
    fn ranges_at_the_limits() {
        assert_eq!(spread(&(FIVE..=FIVE), 7), FIVE);
        assert_eq!(spread(&(Duration::ZERO..=Duration::ZERO), 7), Duration::ZERO);
        // A range without a whole millisecond.
        let (least, most) = (Duration::from_micros(1900), Duration::from_micros(1950));
        assert_eq!(spread(&(least..=most), 7), Duration::from_millis(2));
        let nanosecond = Duration::from_nanos(1);
        assert_eq!(spread(&(nanosecond..=nanosecond), u64::MAX), Duration::from_millis(1));
        // Empty ranges.
        assert_eq!(spread(&(FIVE..=Duration::ZERO), 7), FIVE);
        assert_eq!(spread(&(FIVE..=FIVE / 2), u64::MAX), FIVE);
        assert_eq!(spread(&(Duration::MAX..=Duration::MAX), 7), Duration::from_millis(u64::MAX));
        for seed in 0..100 {
            let time = spread(&(Duration::ZERO..=Duration::MAX), seed);
            assert!(time <= Duration::from_millis(u64::MAX), "{time:?}");
        }
    }
}
