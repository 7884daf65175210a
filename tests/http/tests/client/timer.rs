//! A timer that shortens all sleeps.

use std::time::Duration;
use tokio::time::{Sleep, sleep};

/// Sleeps a twentieth of each duration, and at most one second. The peers use real sockets, whose bytes take a moment
/// to arrive, and tokio's paused clock would not wait for them.
pub(crate) fn short(duration: Duration) -> Sleep {
    sleep((duration / 20).min(Duration::from_secs(1)))
}
