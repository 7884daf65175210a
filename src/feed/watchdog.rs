//! The clock of a timeout, which stops while nobody polls.

use crate::{alarm::Alarm, timer::Timer};
use alloc::boxed::Box;
use core::{
    fmt,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};
use pin_project_lite::pin_project;

/// A timeout is counted in this many sleeps.
const PARTS: u32 = 4;

/// The clock of an adapter, which is `Unpin` although most sleeps are not.
pub(super) type BoxedWatchdog<T> = Pin<Box<Watchdog<<T as Timer>::Sleep>>>;

pin_project! {
    /// The clock of a timeout. It starts when it is first polled, and again after each [`stop`](Watchdog::stop).
    ///
    /// It counts its time in four sleeps, and each sleep starts when it is polled. A pause between two polls, however
    /// long, thus counts for at most a quarter of the time.
    pub struct Watchdog<S> {
        duration: Duration,
        phase: Phase,
        #[pin]
        alarm: Alarm<S>,
    }
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

impl<S> Watchdog<S> {
    /// Returns a clock that has not started. A `duration` of zero means no timeout.
    #[must_use]
    pub fn new(duration: Duration) -> Watchdog<S> {
        Watchdog { duration, phase: Phase::Stopped, alarm: Alarm::stopped() }
    }

    /// Sets the time. If the clock runs, the parts that have passed are not counted again.
    pub fn set_duration(self: Pin<&mut Self>, duration: Duration) {
        *self.project().duration = duration;
    }

    /// Stops the clock because something has happened. It does not drop the sleep, which the next start may go on with.
    #[inline]
    pub fn stop(self: Pin<&mut Self>) {
        *self.project().phase = Phase::Stopped;
    }

    /// Stops the clock at the end of what it watches.
    pub fn end(self: Pin<&mut Self>) {
        let this = self.project();
        *this.phase = Phase::Stopped;
        this.alarm.stop();
    }

    /// Starts the clock if it does not run, and returns the timeout if its time has passed. It stays ready until it is
    /// stopped.
    #[inline]
    pub fn poll<T>(self: Pin<&mut Self>, context: &mut Context<'_>, timer: &T) -> Poll<Duration>
    where
        T: Timer<Sleep = S>,
        S: Future<Output = ()>,
    {
        let duration = self.duration;
        if duration.is_zero() {
            return Poll::Pending;
        }
        ready!(self.poll_parts(context, timer));
        Poll::Ready(duration)
    }

    /// Returns `Ready` when all parts of the time have passed.
    fn poll_parts<T>(self: Pin<&mut Self>, context: &mut Context<'_>, timer: &T) -> Poll<()>
    where
        T: Timer<Sleep = S>,
        S: Future<Output = ()>,
    {
        let mut this = self.project();
        let part = *this.duration / PARTS;
        let (mut parts_over, mut polled) = match *this.phase {
            Phase::Running { parts_over } => (parts_over, this.alarm.as_mut().poll(context, timer, part)),
            Phase::Stopped => (0, this.alarm.as_mut().restart(context, timer, part)),
            Phase::Over => return Poll::Ready(()),
        };
        while polled.is_ready() {
            parts_over += 1;
            if parts_over == PARTS {
                *this.phase = Phase::Over;
                return Poll::Ready(());
            }
            polled = this.alarm.as_mut().restart(context, timer, part);
        }
        *this.phase = Phase::Running { parts_over };
        Poll::Pending
    }
}

// Not derived, because sleeps often have no `Debug`.
impl<S> fmt::Debug for Watchdog<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watchdog").field("duration", &self.duration).field("phase", &self.phase).finish_non_exhaustive()
    }
}
