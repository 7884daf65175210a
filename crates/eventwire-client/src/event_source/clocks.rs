//! The two clocks of a connection.

use super::{ConnectionError, clock::Clock};
use core::{
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};
use eventwire::Timer;
use pin_project_lite::pin_project;

pin_project! {
    /// The clock of the idle timeout and that of the progress timeout. The first one also makes the delay before an
    /// attempt, when there is no connection.
    pub(super) struct Clocks<S> {
        #[pin]
        idle: Clock<S>,
        #[pin]
        event: Clock<S>,
        state: State,
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Stopped,
    /// One of them may be running: there has been silence, or an item that is not progress.
    Running,
    /// The progress timeout has ended. The connection is dropped after the chunk has been decoded, unless the chunk
    /// contains progress.
    ProgressTimeoutOver,
}

impl<S> Clocks<S> {
    /// Returns clocks that have stopped and have no timeouts.
    pub(super) fn new() -> Clocks<S> {
        Clocks { idle: Clock::new(), event: Clock::new(), state: State::Stopped }
    }

    pub(super) fn set_idle_timeout(self: Pin<&mut Self>, timeout: Duration) {
        self.project().idle.set_timeout(timeout);
    }

    pub(super) fn set_progress_timeout(self: Pin<&mut Self>, timeout: Duration) {
        self.project().event.set_timeout(timeout);
    }

    /// Stops both: no time counts until the next poll.
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
        this.event.stop();
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
        match this.idle.poll_timeout(context, timer) {
            Poll::Ready(timeout) => Poll::Ready(idleness(timeout)),
            Poll::Pending => this.event.poll_timeout(context, timer).map(ConnectionError::ProgressTimeout),
        }
    }

    /// Polls only the event clock, after an item that is not progress.
    ///
    /// A server that sends comments without a pause must not keep it from ending. What the chunk contains is still
    /// returned: [`progress_timeout`](Clocks::progress_timeout) reports the end.
    pub(super) fn poll_progress_clock<T: Timer<Sleep = S>>(self: Pin<&mut Self>, context: &mut Context<'_>, timer: &T)
    where
        S: Future<Output = ()>,
    {
        let this = self.project();
        *this.state = State::Running;
        if this.event.poll_timeout(context, timer).is_ready() {
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
        match this.event.poll_timeout(context, timer) {
            Poll::Ready(timeout) => Some(timeout),
            // The timeout was changed in between.
            Poll::Pending => {
                *this.state = State::Running;
                None
            }
        }
    }

    /// Ready if the body of a refusal has taken too long: since its last byte, or for `whole` in total, if that is not
    /// zero.
    pub(super) fn poll_refusal<T: Timer<Sleep = S>>(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        timer: &T,
        whole: Duration,
    ) -> Poll<()>
    where
        S: Future<Output = ()>,
    {
        let this = self.project();
        *this.state = State::Running;
        match this.idle.poll_timeout(context, timer) {
            Poll::Ready(_) => Poll::Ready(()),
            Poll::Pending if whole.is_zero() => Poll::Pending,
            Poll::Pending => this.event.poll_sleep(context, timer, whole),
        }
    }

    /// Begins a delay, which passes whether it is polled or not.
    pub(super) fn start_delay<T: Timer<Sleep = S>>(self: Pin<&mut Self>, timer: &T, delay: Duration) {
        let this = self.project();
        *this.state = State::Running;
        this.idle.start(timer, delay);
    }

    /// Ready at the end of the delay.
    pub(super) fn poll_delay<T: Timer<Sleep = S>>(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        timer: &T,
        delay: Duration,
    ) -> Poll<()>
    where
        S: Future<Output = ()>,
    {
        self.project().idle.poll_sleep(context, timer, delay)
    }
}
