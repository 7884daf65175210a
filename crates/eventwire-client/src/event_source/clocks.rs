//! The two clocks of a connection.

use super::ConnectionError;
use alloc::boxed::Box;
use core::{
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};
use eventwire::{Timer, internal::Watchdog};
use pin_project_lite::pin_project;

pin_project! {
    /// The clock of the idle timeout and that of the progress timeout.
    pub(super) struct Clocks<S> {
        #[pin]
        idle: Watchdog<S>,
        #[pin]
        progress: Watchdog<S>,
        state: State,
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Stopped,
    /// One of the timeouts may be running: there has been silence, or an item that is not progress.
    Running,
    /// The progress timeout has ended. The connection is dropped after the chunk has been decoded, unless the chunk
    /// contains progress.
    ProgressTimeoutOver,
}

impl<S> Clocks<S> {
    /// Returns clocks that have stopped and have no timeouts.
    pub(super) fn new() -> Clocks<S> {
        Clocks { idle: Watchdog::new(Duration::ZERO), progress: Watchdog::new(Duration::ZERO), state: State::Stopped }
    }

    pub(super) fn set_idle_timeout(self: Pin<&mut Self>, timeout: Duration) {
        self.project().idle.set_duration(timeout);
    }

    pub(super) fn set_progress_timeout(self: Pin<&mut Self>, timeout: Duration) {
        self.project().progress.set_duration(timeout);
    }

    /// Stops the timeouts: no time counts until the next poll.
    #[inline(always)]
    pub(super) fn stop(self: Pin<&mut Self>) {
        if self.state != State::Stopped {
            self.stop_running();
        }
    }

    #[cold]
    fn stop_running(self: Pin<&mut Self>) {
        let this = self.project();
        *this.state = State::Stopped;
        this.idle.stop();
        this.progress.stop();
    }

    /// Stops them at the end of a connection.
    pub(super) fn end(self: Pin<&mut Self>) {
        let this = self.project();
        *this.state = State::Stopped;
        this.idle.end();
        this.progress.end();
    }

    /// Stops the idle clock, because there is data.
    #[inline]
    pub(super) fn stop_idle(self: Pin<&mut Self>) {
        if self.state != State::Stopped {
            self.project().idle.stop();
        }
    }

    /// Ready if there has been no data, or no event, for too long. `idleness` makes the error of the idle timeout.
    #[inline]
    pub(super) fn poll_silence<T: Timer<Sleep = S>, E>(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        timer: &T,
        idleness: impl FnOnce(Duration) -> ConnectionError<E>,
    ) -> Poll<ConnectionError<E>>
    where
        S: Future<Output = ()>,
    {
        let this = self.project();
        *this.state = State::Running;
        match this.idle.poll(context, timer) {
            Poll::Ready(timeout) => Poll::Ready(idleness(timeout)),
            Poll::Pending => this.progress.poll(context, timer).map(ConnectionError::ProgressTimeout),
        }
    }

    /// Polls only the progress timeout, after an item that is not progress.
    ///
    /// A server that sends comments without a pause must not keep it from ending. What the chunk contains is still
    /// returned: [`progress_timeout`](Clocks::progress_timeout) reports the end.
    pub(super) fn poll_progress_clock<T: Timer<Sleep = S>>(self: Pin<&mut Self>, context: &mut Context<'_>, timer: &T)
    where
        S: Future<Output = ()>,
    {
        let this = self.project();
        *this.state = State::Running;
        if this.progress.poll(context, timer).is_ready() {
            *this.state = State::ProgressTimeoutOver;
        }
    }

    /// Returns the progress timeout if [`poll_progress_clock`](Clocks::poll_progress_clock) has seen its end.
    pub(super) fn progress_timeout<T: Timer<Sleep = S>>(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        timer: &T,
    ) -> Option<Duration>
    where
        S: Future<Output = ()>,
    {
        if self.state != State::ProgressTimeoutOver {
            return None;
        }
        let this = self.project();
        match this.progress.poll(context, timer) {
            Poll::Ready(timeout) => Some(timeout),
            // The timeout was changed in between.
            Poll::Pending => {
                *this.state = State::Running;
                None
            }
        }
    }

    /// Ready if a response has sent no data for too long, if it is refused.
    pub(super) fn poll_idle<T: Timer<Sleep = S>>(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        timer: &T,
    ) -> Poll<Duration>
    where
        S: Future<Output = ()>,
    {
        let this = self.project();
        *this.state = State::Running;
        this.idle.poll(context, timer)
    }
}

/// Ready at the end of a sleep, which begins with the first poll. With a `duration` of zero, it does not begin.
pub(crate) fn poll_sleep<T: Timer>(
    sleep: &mut Option<Pin<Box<T::Sleep>>>,
    context: &mut Context<'_>,
    timer: &T,
    duration: Duration,
) -> Poll<()> {
    if sleep.is_none() && !duration.is_zero() {
        *sleep = Some(Box::pin(timer.sleep(duration)));
    }
    sleep.as_mut().map_or(Poll::Pending, |sleep| sleep.as_mut().poll(context))
}
