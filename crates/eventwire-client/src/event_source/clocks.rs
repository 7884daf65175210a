//! The two clocks of a connection.

use crate::event_source::connection_error::ConnectionError;
use alloc::boxed::Box;
use core::{
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};
use eventwire::{Timer, internal::Watchdog};

/// The clock of the idle timeout and that of the progress timeout.
pub(super) struct Clocks<S> {
    idle: Pin<Box<Watchdog<S>>>,
    progress: Pin<Box<Watchdog<S>>>,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Stopped,
    /// One of the timeouts may be running: there has been silence, or an item that is not progress.
    Running,
    /// The progress timeout, this long, has ended. The connection is dropped after the chunk has been decoded, unless
    /// the chunk contains progress.
    ProgressTimeoutOver(Duration),
}

impl<S> Clocks<S> {
    /// Returns clocks that have stopped and have no timeouts.
    pub(super) fn new() -> Clocks<S> {
        let [idle, progress] = [(); 2].map(|()| Box::pin(Watchdog::new(Duration::ZERO)));
        Clocks { idle, progress, state: State::Stopped }
    }

    pub(super) fn set_idle_timeout(&mut self, timeout: Duration) {
        self.idle.as_mut().set_duration(timeout);
    }

    pub(super) fn set_progress_timeout(&mut self, timeout: Duration) {
        self.progress.as_mut().set_duration(timeout);
        if let State::ProgressTimeoutOver(_) = self.state {
            self.state = State::Running;
        }
    }

    /// Stops the timeouts: no time counts until the next poll.
    #[inline(always)]
    pub(super) fn stop(&mut self) {
        if self.state != State::Stopped {
            self.stop_running();
        }
    }

    #[cold]
    fn stop_running(&mut self) {
        self.state = State::Stopped;
        self.idle.as_mut().stop();
        self.progress.as_mut().stop();
    }

    /// Stops them at the end of a connection.
    pub(super) fn end(&mut self) {
        self.state = State::Stopped;
        self.idle.as_mut().end();
        self.progress.as_mut().end();
    }

    /// Stops the idle clock, because there is data.
    #[inline]
    pub(super) fn stop_idle(&mut self) {
        if self.state != State::Stopped {
            self.idle.as_mut().stop();
        }
    }

    /// Ready if there has been no data for too long.
    #[inline]
    pub(super) fn poll_idle<T: Timer<Sleep = S>>(&mut self, context: &mut Context<'_>, timer: &T) -> Poll<Duration>
    where
        S: Future<Output = ()>,
    {
        self.state = State::Running;
        self.idle.as_mut().poll(context, timer)
    }

    /// Ready if there has been no data, or no event, for too long. `idleness` makes the error of the idle timeout.
    #[inline]
    pub(super) fn poll_silence<T: Timer<Sleep = S>, E>(
        &mut self,
        context: &mut Context<'_>,
        timer: &T,
        idleness: impl FnOnce(Duration) -> ConnectionError<E>,
    ) -> Poll<ConnectionError<E>>
    where
        S: Future<Output = ()>,
    {
        match self.poll_idle(context, timer) {
            Poll::Ready(timeout) => Poll::Ready(idleness(timeout)),
            Poll::Pending => self.progress.as_mut().poll(context, timer).map(ConnectionError::ProgressTimeout),
        }
    }

    /// Polls only the progress timeout, after an item that is not progress.
    ///
    /// A server that sends comments without a pause must not keep it from ending. What the chunk contains is still
    /// returned: [`progress_timeout`](Clocks::progress_timeout) reports the end.
    pub(super) fn poll_progress<T: Timer<Sleep = S>>(&mut self, context: &mut Context<'_>, timer: &T)
    where
        S: Future<Output = ()>,
    {
        self.state = match self.progress.as_mut().poll(context, timer) {
            Poll::Ready(timeout) => State::ProgressTimeoutOver(timeout),
            Poll::Pending => State::Running,
        };
    }

    /// Returns the progress timeout if [`poll_progress`](Clocks::poll_progress) has seen its end.
    pub(super) fn progress_timeout(&self) -> Option<Duration> {
        match self.state {
            State::ProgressTimeoutOver(timeout) => Some(timeout),
            State::Stopped | State::Running => None,
        }
    }
}
