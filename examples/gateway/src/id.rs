//! What tells one answer from another.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use serde::{Serialize, Serializer};

/// An answer's ID, such as `chatcmpl-18ad3f0c9be00000-2`: when it was asked for, and its place among all
/// answers of this process.
#[derive(Clone, Copy)]
pub(super) struct Id {
    prefix: &'static str,
    asked: Duration,
    number: u64,
}

impl Id {
    pub(super) fn new(prefix: &'static str) -> Id {
        static NUMBERS: AtomicU64 = AtomicU64::new(1);
        // A clock that stands before 1970 is wrong in any case.
        let asked = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        Id { prefix, asked, number: NUMBERS.fetch_add(1, Ordering::Relaxed) }
    }

    /// When the answer was asked for, in seconds since 1970.
    pub(super) fn created(&self) -> u64 {
        self.asked.as_secs()
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{:x}-{}", self.prefix, self.asked.as_nanos(), self.number)
    }
}

impl Serialize for Id {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
