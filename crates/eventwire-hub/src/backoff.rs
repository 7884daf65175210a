//! How long to wait before something is tried again.

use crate::random::random;
use std::time::Duration;

/// Times that double up to a limit. Half of each is random, so that thousands of readers do not try again together.
#[derive(Debug)]
pub(crate) struct Backoff {
    next: Duration,
    most: Duration,
}

impl Backoff {
    const FIRST: Duration = Duration::from_millis(50);

    pub(crate) fn new(most: Duration) -> Backoff {
        Backoff { next: Backoff::FIRST.min(most), most }
    }

    /// For calls of a log that fails. They are never rarer than the reads at intervals.
    pub(crate) fn of_calls(resync: Duration) -> Backoff {
        Backoff::new(resync.min(Duration::from_secs(2)))
    }

    pub(crate) fn next(&mut self) -> Duration {
        let next = self.next;
        self.next = (next * 2).min(self.most);
        next / 2 + random_time(next / 2)
    }

    pub(crate) fn reset(&mut self) {
        *self = Backoff::new(self.most);
    }
}

/// Returns a random time below a limit.
pub(crate) fn random_time(limit: Duration) -> Duration {
    limit.mul_f64(random() as f64 / u64::MAX as f64)
}
