//! The parts of an event source that it polls.

use super::{ConnectionError, Connector, Refusal, Stopped, clock::Clock};
use alloc::boxed::Box;
use core::time::Duration;
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

impl<F, B, S, E> Link<F, B, S, E> {
    /// Returns a link without a connection, after one that ended with this error.
    pub(super) fn between(error: Option<ConnectionError<E>>) -> Link<F, B, S, E> {
        Link { phase: Phase::Between { error }, idle: Clock::stopped(), eventless: Clock::stopped() }
    }

    /// Returns a link that has stopped.
    pub(super) fn stopped(stopped: Stopped<E>) -> Link<F, B, S, E> {
        Link {
            phase: Phase::Stopped { report: Report::Pending, stopped },
            idle: Clock::stopped(),
            eventless: Clock::stopped(),
        }
    }
}

/// Whether the caller has taken the reason why the source stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Report {
    Pending,
    Taken,
}
