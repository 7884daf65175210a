//! What an event source waits for.

use super::{ConnectionError, Refusal, clock::Clock};
use alloc::boxed::Box;
use core::time::Duration;
use pin_project_lite::pin_project;

pin_project! {
    /// All that must not move while it is polled: a connection with its clocks. `F` brings a response, whose body is `B`, or `E`; `S`
    /// sleeps.
    pub(super) struct Link<F, B, S, E> {
        #[pin]
        pub(super) phase: Phase<F, B, S, E>,
        #[pin]
        pub(super) idle: Clock<S>,
        #[pin]
        pub(super) eventless: Clock<S>,
    }
}

pin_project! {
    #[project = PhaseProjection]
    pub(super) enum Phase<F, B, S, E> {
        /// What comes next is for the rules to say. The error is that of the last connection, until it is given.
        Between { error: Option<ConnectionError<E>> },
        Connecting { #[pin] response: F },
        Open { #[pin] body: B },
        /// Its body has come to its end, and that has given an item.
        Ended,
        /// The response is no event stream. What it says is read while the sleep lasts.
        Refused { #[pin] body: B, #[pin] patience: S, refusal: Option<Box<Refusal>> },
        Waiting { #[pin] sleep: S, delay: Duration },
    }
}

impl<F, B, S, E> Link<F, B, S, E> {
    pub(super) fn new() -> Link<F, B, S, E> {
        Link { phase: Phase::Between { error: None }, idle: Clock::stopped(), eventless: Clock::stopped() }
    }
}
