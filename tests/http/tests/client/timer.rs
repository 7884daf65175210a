//! A clock that is in a hurry.

use eventwire::Timer;
use std::{
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::time::{Sleep, sleep};

/// The times that were asked for, one after the other.
#[derive(Clone, Debug, Default)]
pub(crate) struct Delays(Arc<Mutex<Vec<Duration>>>);

impl Delays {
    pub(crate) fn all(&self) -> Vec<Duration> {
        self.0.lock().unwrap().clone()
    }
}

/// Sleeps a twentieth of each time, and a second at most. There are real sockets at the other end, whose bytes take a moment: tokio's
/// paused clock would not wait for them.
pub(crate) fn short(delays: &Delays) -> impl Timer<Sleep = Sleep> + use<> {
    let delays = delays.clone();
    move |delay: Duration| {
        delays.0.lock().unwrap().push(delay);
        sleep((delay / 20).min(Duration::from_secs(1)))
    }
}
