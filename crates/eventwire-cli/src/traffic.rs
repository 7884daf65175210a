//! What the connections have brought, and when.

use std::fmt;
use std::time::{Duration, Instant};

/// What all connections have brought so far.
#[derive(Debug)]
pub(crate) struct Traffic {
    begin: Instant,
    bytes: u64,
    /// When the request of the last connection was sent, and after how long its first byte arrived.
    start: Instant,
    first_byte: Option<Duration>,
}

impl Traffic {
    pub(crate) fn new() -> Traffic {
        let now = Instant::now();
        Traffic { begin: now, bytes: 0, start: now, first_byte: None }
    }

    /// A request is sent.
    pub(crate) fn connect(&mut self) {
        self.start = Instant::now();
        self.first_byte = None;
    }

    pub(crate) fn chunk(&mut self, length: usize) {
        self.first_byte.get_or_insert(self.start.elapsed());
        self.bytes = self.bytes.saturating_add(length as u64);
    }

    /// Returns for how long the last connection has lasted.
    pub(crate) fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    pub(crate) fn first_byte(&self) -> Option<Duration> {
        self.first_byte
    }

    /// Returns a line about this many events.
    pub(crate) fn summary(&self, events: u64) -> impl fmt::Display {
        let seconds = self.begin.elapsed().as_secs_f64();
        let bytes = self.bytes;
        #[expect(clippy::cast_precision_loss, reason = "it is rounded anyway")]
        let rate = events as f64 / seconds.max(0.001);
        format!("{events} events, {bytes} bytes in {seconds:.1} s: {rate:.1} events/s")
    }
}
