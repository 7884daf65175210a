//! The clock of the live feed.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// A source of the current time. A clone is the same clock.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> SystemTime + Send + Sync>);

impl Clock {
    /// Returns the clock of this machine.
    #[must_use]
    pub fn system() -> Clock {
        Clock::from_fn(SystemTime::now)
    }

    /// Returns a clock that calls this function, for example in a test.
    pub fn from_fn(now: impl Fn() -> SystemTime + Send + Sync + 'static) -> Clock {
        Clock(Arc::new(now))
    }

    /// Returns the time since 1970; zero if the clock is set to a time before 1970.
    pub(crate) fn since_1970(&self) -> Duration {
        (self.0)().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default()
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Clock").finish_non_exhaustive()
    }
}
