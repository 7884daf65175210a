//! How long to wait before the next attempt.

use super::jitter::Jitter;
use core::time::Duration;

/// The shortest delay: a loop that does not wait at all would spin.
const SHORTEST: Duration = Duration::from_millis(1);

/// Delays that grow, with jitter, between a floor and a ceiling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Backoff {
    /// Used until the server sets one.
    pub(super) reconnection_time: Duration,
    pub(super) min: Duration,
    pub(super) max: Duration,
    pub(super) max_of_server: Duration,
}

impl Backoff {
    pub(super) const DEFAULT: Backoff = Backoff {
        reconnection_time: Duration::from_secs(3),
        min: Duration::from_millis(100),
        max: Duration::from_secs(30),
        max_of_server: Duration::from_secs(60 * 60),
    };

    /// The delay before the next attempt, after this many attempts in a row without progress.
    ///
    /// It is at least the reconnection time, as the standard asks. The standard allows more, and the rest is chosen at random
    /// below the exponential bound, so that clients that were cut off together do not come back together.
    pub(super) fn delay(&self, jitter: &mut Jitter, reconnection_time: Option<Duration>, fruitless: u32) -> Duration {
        let least = reconnection_time
            .map_or_else(|| self.at_least_the_floor(self.reconnection_time), |time| self.within_limits(time));
        let factor = 2_u32.checked_pow(fruitless.max(1)).unwrap_or(u32::MAX);
        let most = least.saturating_mul(factor).min(self.max.max(least.saturating_add(least / 4)));
        least.saturating_add(jitter.up_to(most - least))
    }

    /// The delay that a server asked for by `Retry-After`, and up to a quarter more: it has told all its clients the same.
    pub(super) fn delay_of_server(&self, jitter: &mut Jitter, delay: Duration) -> Duration {
        let least = self.within_limits(delay);
        least.saturating_add(jitter.up_to(least / 4))
    }

    /// A delay that the server asked for, within the limits on it.
    pub(super) fn within_limits(&self, delay: Duration) -> Duration {
        self.at_least_the_floor(delay.min(self.max_of_server))
    }

    fn at_least_the_floor(&self, delay: Duration) -> Duration {
        delay.max(self.min).max(SHORTEST)
    }
}
