//! The log of an event source, with feature `tracing`. Without it, these functions do nothing.
//!
//! The levels and fields are documented at [`EventSource`](crate::EventSource#logs). None of these functions is
//! called for an event.

#![cfg_attr(not(feature = "tracing"), expect(unused_variables, reason = "only the log uses the arguments"))]

use crate::{
    event_source::{attempt::Attempt, connection_error::ConnectionError, stopped::Stopped},
    reconnect::{stop_reason::StopReason, verdict::Verdict},
    unexpected_response::UnexpectedResponse,
};
use core::time::Duration;
use http::Response;

/// Logs one event of tracing.
macro_rules! log {
    ($level:ident, $($fields_and_message:tt)*) => {{
        #[cfg(feature = "tracing")]
        tracing::event!(target: "eventwire_client", tracing::Level::$level, $($fields_and_message)*);
    }};
}

/// A request is about to be sent.
pub(super) fn connecting(attempt: &Attempt) {
    log!(
        DEBUG,
        attempt = attempt.number(),
        resumes = attempt.last_event_id().is_some() || attempt.cursor().is_some(),
        after_timeout = attempt.is_after_timeout(),
        "connecting"
    );
}

/// A connection is open.
pub(super) fn open(head: &Response<()>) {
    log!(DEBUG, status = head.status().as_u16(), version = ?head.version(), "open");
}

/// A response is not an event stream, and has this verdict.
pub(super) fn unexpected_response(response: &UnexpectedResponse, verdict: Verdict) {
    log!(INFO, status = response.status().as_u16(), ?verdict, "unexpected response");
}

/// The connection could not be made, or it ended. Another attempt follows.
pub(super) fn reconnecting<E>(error: Option<&ConnectionError<E>>, delay: Duration, attempt: u32) {
    let name = error.map(name);
    let delay_ms = u64::try_from(delay.as_millis()).unwrap_or(u64::MAX);
    // Many servers end their responses from time to time.
    if let Some(ConnectionError::Ended) = error {
        log!(INFO, error = name, delay_ms, attempt, "reconnecting");
    } else {
        log!(WARN, error = name, delay_ms, attempt, "reconnecting");
    }
}

/// The source stopped.
pub(super) fn stopped<E>(stopped: &Stopped<E>) {
    let (reason, error) = (stopped.reason(), stopped.error().map(name));
    match reason {
        _ if stopped.is_failure() => log!(WARN, ?reason, error, "stopped"),
        // The program closed the source, so it need not be told.
        StopReason::Closed => log!(DEBUG, ?reason, error, "stopped"),
        reason => log!(INFO, ?reason, error, "stopped"),
    }
}

/// Returns the name of the variant. The connector's error is not printed: it may not be printable, and its text may
/// contain secrets, such as a URL with a token.
fn name<E>(error: &ConnectionError<E>) -> &'static str {
    match error {
        ConnectionError::Transport(_) => "Transport",
        ConnectionError::Ended => "Ended",
        ConnectionError::Truncated => "Truncated",
        ConnectionError::UnexpectedResponse(_) => "UnexpectedResponse",
        ConnectionError::ResponseTimeout(_) => "ResponseTimeout",
        ConnectionError::IdleTimeout(_) => "IdleTimeout",
        ConnectionError::ProgressTimeout(_) => "ProgressTimeout",
    }
}
