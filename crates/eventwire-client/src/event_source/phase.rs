//! What an event source does at the moment.

use super::{ConnectionError, Refusal, Stopped};
use alloc::boxed::Box;
use core::time::Duration;
use pin_project_lite::pin_project;

pin_project! {
    /// What an event source does at the moment. `F` is the future of a response, `B` its body, and `E` the connector's
    /// error.
    #[project = PhaseProjection]
    #[project_replace = PhaseReplaced]
    pub(super) enum Phase<F, B, E> {
        /// The rules decide what comes next. The error is the last connection's, until it is returned.
        Between { error: Option<ConnectionError<E>> },
        Connecting { #[pin] response: F },
        Open { #[pin] body: B },
        /// The body has ended. The rest in the decoder is returned before the error.
        Ended { error: ConnectionError<E> },
        /// The response is not an event stream. Its body is read up to the limits.
        Refused { #[pin] body: B, refusal: Box<Refusal> },
        Waiting { delay: Duration },
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
