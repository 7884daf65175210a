//! The clock of a timeout, which stops while nobody polls.

use crate::{alarm::Alarm, timer::Timer};
use alloc::boxed::Box;
use core::{
    fmt,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

/// A timeout is counted in this many sleeps.
const PARTS: u32 = 4;

/// The clock of a timeout. It starts when it is first polled, and again after each [`stop`](Watchdog::stop).
///
/// It counts its time in four sleeps, and each sleep starts when it is polled. A pause between two polls, however long,
/// thus counts for at most a quarter of the time.
pub(super) struct Watchdog<T: Timer> {
    duration: Duration,
    timer: T,
    phase: Phase,
    // Boxed, so that an adapter is `Unpin` although most sleeps are not.
    alarm: Pin<Box<Alarm<T::Sleep>>>,
}

#[derive(Clone, Copy, Debug)]
enum Phase {
    Stopped,
    /// This many parts of the time have passed.
    Running {
        parts_over: u32,
    },
    Over,
}

impl<T: Timer> Watchdog<T> {
    /// Returns a clock that has not started. A `duration` of zero means no timeout.
    pub(super) fn new(duration: Duration, timer: T) -> Watchdog<T> {
        Watchdog { duration, timer, phase: Phase::Stopped, alarm: Box::pin(Alarm::stopped()) }
    }

    /// Stops the clock because something has happened. It does not drop the sleep, which the next start may go on with.
    #[inline]
    pub(super) fn stop(&mut self) {
        self.phase = Phase::Stopped;
    }

    /// Stops the clock, and sets the time for the next start.
    pub(super) fn stop_with(&mut self, duration: Duration) {
        self.duration = duration;
        self.stop();
    }

    /// Stops the clock at the end of what it watches.
    pub(super) fn end(&mut self) {
        self.stop();
        self.alarm.as_mut().stop();
    }

    /// Whether the time has passed. Nothing starts the clock again except [`stop`](Watchdog::stop).
    pub(super) fn is_over(&self) -> bool {
        matches!(self.phase, Phase::Over)
    }

    /// Starts the clock if it does not run, and returns the timeout if its time has passed.
    pub(super) fn poll(&mut self, context: &mut Context<'_>) -> Poll<Duration> {
        if self.duration.is_zero() {
            return Poll::Pending;
        }
        ready!(self.poll_parts(context));
        Poll::Ready(self.duration)
    }

    /// Returns `Ready` when all parts of the time have passed.
    fn poll_parts(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let part = self.duration / PARTS;
        let mut alarm = self.alarm.as_mut();
        let (mut parts_over, mut polled) = match self.phase {
            Phase::Running { parts_over } => (parts_over, alarm.as_mut().poll(context, &self.timer, part)),
            Phase::Stopped => (0, alarm.as_mut().restart(context, &self.timer, part)),
            Phase::Over => return Poll::Ready(()),
        };
        while polled.is_ready() {
            parts_over += 1;
            if parts_over == PARTS {
                self.phase = Phase::Over;
                return Poll::Ready(());
            }
            polled = alarm.as_mut().restart(context, &self.timer, part);
        }
        self.phase = Phase::Running { parts_over };
        Poll::Pending
    }
}

// Not derived, because that would require `Debug` of the timer and its sleeps, which closures do not have.
impl<T: Timer> fmt::Debug for Watchdog<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watchdog").field("duration", &self.duration).field("phase", &self.phase).finish_non_exhaustive()
    }
}
