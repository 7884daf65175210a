//! How long to wait before a connection is made again.

use core::time::Duration;

/// The shortest delay there is: a loop that waits for nothing would spin.
const SHORTEST: Duration = Duration::from_millis(1);

/// Delays that grow, with jitter, between a floor and a ceiling.
#[derive(Clone, Debug)]
pub(super) struct Backoff {
    /// Where the server has set none.
    pub(super) reconnection_time: Duration,
    pub(super) min: Duration,
    pub(super) max: Duration,
    pub(super) max_of_server: Duration,
    /// `None` where nobody has said where it begins.
    pub(super) jitter: Option<Jitter>,
}

impl Backoff {
    pub(super) fn new() -> Backoff {
        Backoff {
            reconnection_time: Duration::from_secs(3),
            min: Duration::from_millis(100),
            max: Duration::from_secs(30),
            max_of_server: Duration::from_secs(60 * 60),
            jitter: None,
        }
    }

    /// The delay before the next attempt, after so many in a row that have brought no event.
    ///
    /// At least the reconnection time, as the standard asks. "Some more", which it allows, is chosen from all that there is below
    /// the exponential bound: what has been cut off together does not come back together.
    pub(super) fn delay(&mut self, reconnection_time: Option<Duration>, fruitless: u32) -> Duration {
        let least = reconnection_time
            .map_or_else(|| self.at_least_the_floor(self.reconnection_time), |time| self.within_limits(time));
        let factor = 2_u32.checked_pow(fruitless.max(1)).unwrap_or(u32::MAX);
        let most = least.saturating_mul(factor).min(self.max.max(least.saturating_add(least / 4)));
        least.saturating_add(self.jitter.get_or_insert_default().up_to(most - least))
    }

    /// A delay that the server has asked for, as far as it is granted.
    pub(super) fn within_limits(&self, delay: Duration) -> Duration {
        self.at_least_the_floor(delay.min(self.max_of_server))
    }

    fn at_least_the_floor(&self, delay: Duration) -> Duration {
        delay.max(self.min).max(SHORTEST)
    }
}

/// A sequence of numbers that look random: SplitMix64.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Jitter {
    pub(super) seed: u64,
}

impl Jitter {
    fn up_to(&mut self, most: Duration) -> Duration {
        self.seed = self.seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.seed;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^= bits >> 31;
        let most = u64::try_from(most.as_nanos()).unwrap_or(u64::MAX);
        let chosen = (u128::from(bits) * u128::from(most)) >> 64;
        Duration::from_nanos(u64::try_from(chosen).unwrap_or(u64::MAX))
    }
}
