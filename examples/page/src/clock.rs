//! The clock of the live feed.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// A source of the current time. A clone is the same clock.
#[derive(Clone)]
pub(crate) struct Clock(Arc<dyn Fn() -> SystemTime + Send + Sync>);

impl Clock {
    /// Returns a clock that calls this function: `SystemTime::now`, or a test's.
    pub(crate) fn from_fn(now: impl Fn() -> SystemTime + Send + Sync + 'static) -> Clock {
        Clock(Arc::new(now))
    }

    /// Returns the time since 1970; zero if the clock is set to a time before 1970.
    pub(crate) fn since_1970(&self) -> Duration {
        (self.0)().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default()
    }
}
