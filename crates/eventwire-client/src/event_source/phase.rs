//! What an event source does at the moment.

use super::{ConnectionError, Stopped, UnexpectedResponse};
use alloc::boxed::Box;
use core::{pin::Pin, time::Duration};
use pin_project_lite::pin_project;

pin_project! {
    /// What an event source does at the moment. `F` is the future of a response, `B` its body, `E` the connector's
    /// error, and `S` a sleep, which is boxed, because it is large and few phases have one.
    #[project = PhaseProjection]
    #[project_replace = PhaseReplaced]
    pub(super) enum Phase<F, B, E, S> {
        /// The rules decide what comes next. The error is the last connection's, until it is returned.
        Between { error: Option<ConnectionError<E>> },
        Connecting { #[pin] response: F },
        Open { #[pin] body: B },
        /// The body has ended. The rest in the decoder is returned before the error.
        Ended { error: ConnectionError<E> },
        /// The response is not an event stream. Its body is read up to the limits. The sleep is the time for all of it,
        /// and begins when there is nothing to read.
        Refused { #[pin] body: B, refusal: Box<UnexpectedResponse>, sleep: Option<Pin<Box<S>>> },
        /// The delay has begun, and passes whether the source is polled or not.
        Waiting { delay: Duration, sleep: Pin<Box<S>> },
        /// The source has stopped. Once the report has been taken, `stopped` has no error.
        Stopped { report: Report, stopped: Stopped<E> },
    }
}

/// Whether the caller has taken the reason why the source stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Report {
    Pending,
    Taken,
}
