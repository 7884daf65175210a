//! What an event source waits for.

use super::{ConnectionError, Connector, Refusal, Stopped, clock::Clock};
use crate::Timer;
use alloc::boxed::Box;
use core::time::Duration;
use pin_project_lite::pin_project;

/// The link of an event source over this connector and this timer.
pub(super) type LinkOf<C, T> =
    Link<<C as Connector>::Connect, <C as Connector>::Body, <T as Timer>::Sleep, <C as Connector>::Error>;

pin_project! {
    /// All that must not move while it is polled: a connection with its clocks. `F` brings a response, whose body is `B`, or `E`; `S`
    /// sleeps.
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
        /// The rules decide what comes next. The error is that of the last connection, until it is given.
        Between { error: Option<ConnectionError<E>> },
        Connecting { #[pin] response: F },
        Open { #[pin] body: B },
        /// The body has ended. What is left in the decoder is given before the error.
        Ended { error: Option<ConnectionError<E>> },
        /// The response is no event stream. What it says is read for a while.
        Refused { #[pin] body: B, refusal: Option<Box<Refusal>> },
        Waiting { delay: Duration },
        /// There will be no more connections. What is left of the report when it has been taken has no error.
        Stopped { report: Report, stopped: Stopped<E> },
    }
}

/// What is known of the clocks of an open connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Clocks {
    Stopped,
    /// One of them may be running, because there has been silence, or something that is not progress.
    Running,
    /// There has been no progress for too long. The connection is given up when the chunk has been decoded, unless there is progress in it.
    EventTimeoutOver,
}

impl<F, B, S, E> Link<F, B, S, E> {
    /// No connection, after one that ended with this error.
    pub(super) fn between(error: Option<ConnectionError<E>>) -> Link<F, B, S, E> {
        Link { phase: Phase::Between { error }, idle: Clock::stopped(), eventless: Clock::stopped() }
    }

    /// No connection, now or later.
    pub(super) fn stopped(stopped: Stopped<E>) -> Link<F, B, S, E> {
        Link {
            phase: Phase::Stopped { report: Report::Pending, stopped },
            idle: Clock::stopped(),
            eventless: Clock::stopped(),
        }
    }
}

/// Whether the caller has taken out why the source stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Report {
    Pending,
    Taken,
}
