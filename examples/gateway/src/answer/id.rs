//! The ID of an answer.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use serde::{Serialize, Serializer};

/// An answer's ID, such as `chatcmpl-18ad3f0c9be00000-2`. It consists of the time of the request and the answer's
/// number in this process.
#[derive(Clone, Copy)]
pub(super) struct Id {
    prefix: &'static str,
    /// The time of the request, since 1970.
    time: Duration,
    number: u64,
}

impl Id {
    pub(super) fn new(prefix: &'static str) -> Id {
        static NUMBERS: AtomicU64 = AtomicU64::new(1);
        // A clock set before 1970 counts as 1970.
        let time = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        Id { prefix, time, number: NUMBERS.fetch_add(1, Ordering::Relaxed) }
    }

    /// Returns the time of the request, in seconds since 1970.
    pub(super) fn created(&self) -> u64 {
        self.time.as_secs()
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{:x}-{}", self.prefix, self.time.as_nanos(), self.number)
    }
}

impl Serialize for Id {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
