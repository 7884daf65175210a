//! The parts of an event source that it polls.

use super::{ConnectionError, Connector, Refusal, Stopped, clock::Clock};
use alloc::boxed::Box;
use core::{
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};
use eventwire::Timer;
use pin_project_lite::pin_project;

/// The link of an event source with this connector and this timer.
pub(super) type LinkOf<C, T> =
    Link<<C as Connector>::Connect, <C as Connector>::Body, <T as Timer>::Sleep, <C as Connector>::Error>;

pin_project! {
    /// Everything that must not move while it is polled: a connection and its clocks. `F` is the future of a
    /// response, `B` its body, `E` the connector's error, and `S` a sleep.
    pub(super) struct Link<F, B, S, E> {
        #[pin]
        pub(super) phase: Phase<F, B, E>,
        #[pin]
        pub(super) idle: Clock<S>,
        #[pin]
        pub(super) eventless: Clock<S>,
    }
}

pin_project! {
    #[project = PhaseProjection]
    pub(super) enum Phase<F, B, E> {
        /// The rules decide what comes next. The error is the last connection's, until it is returned.
        Between { error: Option<ConnectionError<E>> },
        Connecting { #[pin] response: F },
        Open { #[pin] body: B },
        /// The body has ended. The rest in the decoder is returned before the error.
        Ended { error: Option<ConnectionError<E>> },
        /// The response is not an event stream. Its body is read up to the limits.
        Refused { #[pin] body: B, refusal: Option<Box<Refusal>> },
        Waiting { delay: Duration },
        /// The source has stopped. Once the report has been taken, `stopped` has no error.
        Stopped { report: Report, stopped: Stopped<E> },
    }
}

/// What is known of the clocks of an open connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Clocks {
    Stopped,
    /// One of them may be running: there has been silence, or an item that is not progress.
    Running,
    /// The event timeout has ended. The connection is dropped after the chunk has been decoded, unless the chunk
    /// contains progress.
    EventTimeoutOver,
}

impl<F, B, E> Phase<F, B, E> {
    pub(super) fn stopped(stopped: Stopped<E>) -> Phase<F, B, E> {
        Phase::Stopped { report: Report::Pending, stopped }
    }
}

impl<F, B, S, E> Link<F, B, S, E> {
    /// Returns a link before the first connection.
    pub(super) fn new() -> Link<F, B, S, E> {
        Link { phase: Phase::Between { error: None }, idle: Clock::new(), eventless: Clock::new() }
    }

    /// Drops the connection, and stops the clocks.
    pub(super) fn leave(self: Pin<&mut Self>, next: Phase<F, B, E>) {
        let mut link = self.project();
        link.phase.set(next);
        link.idle.stop();
        link.eventless.stop();
    }

    /// Ready if there has been no data, or no event, for too long. `idleness` makes the error of the idle timeout.
    #[inline]
    pub(super) fn poll_silence<T: Timer<Sleep = S>>(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        timer: &T,
        idleness: impl FnOnce(Duration) -> ConnectionError<E>,
    ) -> Poll<ConnectionError<E>>
    where
        S: Future<Output = ()>,
    {
        let link = self.project();
        match link.idle.poll_timeout(context, timer) {
            Poll::Ready(timeout) => Poll::Ready(idleness(timeout)),
            Poll::Pending => link.eventless.poll_timeout(context, timer).map(ConnectionError::EventTimeout),
        }
    }

    /// Ready if the body of a refusal has taken too long: since its last byte, or for `whole` in total.
    pub(super) fn poll_refusal<T: Timer<Sleep = S>>(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        timer: &T,
        whole: Duration,
    ) -> Poll<()>
    where
        S: Future<Output = ()>,
    {
        let link = self.project();
        match link.idle.poll_timeout(context, timer) {
            Poll::Ready(_) => Poll::Ready(()),
            Poll::Pending => link.eventless.poll_sleep(context, timer, whole),
        }
    }
}

/// Whether the caller has taken the reason why the source stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Report {
    Pending,
    Taken,
}
