//! Why a client stopped.

/// Why a client stopped: there are no more events and no more connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum StopReason {
    /// The server answered that there are no more events: with 204, or with another response whose verdict is
    /// [`Stop`](crate::Verdict::Stop).
    #[error("there are no more events")]
    NoContent,
    /// The stream is complete: its last event has arrived (`Hooks::is_end`), or `Hooks::error_verdict` returned
    /// [`Stop`](crate::Verdict::Stop).
    #[error("the stream is complete")]
    Finished,
    /// The response is not an event stream, and its verdict is [`Fail`](crate::Verdict::Fail): retrying is
    /// pointless.
    #[error("the response is not an event stream")]
    UnexpectedResponse,
    /// The [limit](crate::ReconnectPolicy::with_max_attempts) on attempts in a row without progress was reached.
    #[error("gave up after too many attempts")]
    AttemptsExhausted,
    /// No connection was ever open, and the [limit](crate::ReconnectPolicy::with_max_first_attempts) on first
    /// attempts was reached.
    #[error("no event stream could be opened")]
    NeverOpened,
    /// The client would have retried, but the request [must not be sent again](crate::Resend), because of its method
    /// or the policy.
    #[error("the request must not be sent again")]
    NotResent,
    /// The last event ID contains a control character, which is not valid in the value of a header.
    ///
    /// Reconnecting without the ID would repeat or lose events.
    #[error("the last event ID contains a control character and cannot be sent in a header")]
    InvalidLastEventId,
    /// The last event ID is [too long](crate::ReconnectPolicy::with_max_last_event_id) for a header.
    #[error("the last event ID is too long to be sent in a header")]
    LastEventIdTooLong,
    /// The connector or `Hooks::error_verdict` called an error
    /// [permanent](crate::Reconnect::handle_permanent_error), or a function of the caller panicked.
    #[error("permanent error")]
    Permanent,
    /// The client closed the connection.
    #[error("closed by the client")]
    Closed,
}
