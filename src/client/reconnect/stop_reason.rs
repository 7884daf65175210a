//! Why a client is over.

/// Why there will be no more events, and no more connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum StopReason {
    /// The server has answered that there are no more events: by 204, or whatever the [classifier](super::Verdict::Stop) takes for that.
    #[error("the server answered that there are no more events")]
    NoContent,
    /// The response is no event stream, and the [classifier](super::Verdict) does not think that it will be one.
    #[error("the server's answer is not an event stream")]
    Refused,
    /// The [limit](super::Reconnect::with_max_attempts) on attempts in a row without an event is reached.
    #[error("the limit on attempts without an event is reached")]
    AttemptsExhausted,
    /// The request [must not be sent again](super::Resend), by what was set or by its method.
    #[error("the connection ended, and its request must not be sent again")]
    NotResent,
    /// The last event ID cannot be sent: there is a control character in it, which the value of a header cannot carry.
    ///
    /// To go on without it would be to get old events again, or to miss some.
    #[error("the last event ID has a control character in it, and cannot be sent as a header")]
    InvalidLastEventId,
    /// The connection could not be made, and [there is no use](super::Reconnect::handle_futile) in trying again.
    #[error("the connection cannot be made")]
    Futile,
    /// It was closed from this end.
    #[error("it was closed")]
    Closed,
}
