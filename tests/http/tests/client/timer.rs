//! A timer that shortens all sleeps.

use eventwire::Timer;
use std::{
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::time::{Sleep, sleep};

/// The requested durations, in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Delays(Arc<Mutex<Vec<Duration>>>);

impl Delays {
    pub(crate) fn all(&self) -> Vec<Duration> {
        self.0.lock().unwrap().clone()
    }
}

/// Sleeps a twentieth of each duration, and at most one second. The peers use real sockets, whose bytes take a moment
/// to arrive, and tokio's paused clock would not wait for them.
pub(crate) fn short(delays: &Delays) -> impl Timer<Sleep = Sleep> + use<> {
    let delays = delays.clone();
    move |delay: Duration| {
        delays.0.lock().unwrap().push(delay);
        sleep((delay / 20).min(Duration::from_secs(1)))
    }
}
