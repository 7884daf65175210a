//! The clock of the live feed.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// Tells the time of day. A clone is the same clock.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> SystemTime + Send + Sync>);

impl Clock {
    /// The clock of this machine.
    #[must_use]
    pub fn system() -> Clock {
        Clock::from_fn(SystemTime::now)
    }

    /// A clock that calls this function.
    pub fn from_fn(now: impl Fn() -> SystemTime + Send + Sync + 'static) -> Clock {
        Clock(Arc::new(now))
    }

    /// The time since 1970. A clock that is set before 1970 counts as 1970.
    pub(crate) fn since_1970(&self) -> Duration {
        (self.0)().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default()
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Clock").finish_non_exhaustive()
    }
}
