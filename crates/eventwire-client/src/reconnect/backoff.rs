//! The delay before the next attempt.

use crate::reconnect::jitter::Jitter;
use core::time::Duration;

/// The shortest delay: a loop without any delay would use up the processor.
const SHORTEST: Duration = Duration::from_millis(1);

/// Delays that grow, with jitter, between a minimum and a maximum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Backoff {
    /// Used until the server sets one.
    pub(super) reconnection_time: Duration,
    pub(super) min: Duration,
    pub(super) max: Duration,
    pub(super) max_server_delay: Duration,
}

impl Backoff {
    pub(super) const DEFAULT: Backoff = Backoff {
        reconnection_time: Duration::from_secs(3),
        min: Duration::from_millis(100),
        max: Duration::from_secs(30),
        max_server_delay: Duration::from_secs(60 * 60),
    };

    /// Returns the delay before the next attempt, after this many attempts in a row without progress.
    ///
    /// It is at least the reconnection time, as the standard requires. The standard allows more. The rest is random,
    /// below a limit that grows exponentially, so that clients that lost their connections together do not reconnect
    /// together.
    pub(super) fn delay(&self, jitter: &mut Jitter, reconnection_time: Option<Duration>, fruitless: u32) -> Duration {
        let least = reconnection_time
            .map_or_else(|| self.at_least_the_floor(self.reconnection_time), |time| self.within_limits(time));
        let factor = 2_u32.checked_pow(fruitless.max(1)).unwrap_or(u32::MAX);
        let most = least.saturating_mul(factor).min(self.max.max(least.saturating_add(least / 4)));
        least.saturating_add(jitter.up_to(most - least))
    }

    /// Returns the delay that `Retry-After` asks for, and up to a quarter more, because other clients got the same
    /// value.
    pub(super) fn server_delay(&self, jitter: &mut Jitter, delay: Duration) -> Duration {
        let least = self.within_limits(delay);
        least.saturating_add(jitter.up_to(least / 4))
    }

    /// Returns a delay that the server asks for, within its limits.
    pub(super) fn within_limits(&self, delay: Duration) -> Duration {
        self.at_least_the_floor(delay.min(self.max_server_delay))
    }

    fn at_least_the_floor(&self, delay: Duration) -> Duration {
        delay.max(self.min).max(SHORTEST)
    }
}
