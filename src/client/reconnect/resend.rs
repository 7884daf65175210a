//! Whether a request may be sent twice.

/// Whether a request may be sent again.
///
/// A request that [is not idempotent], such as a POST, may have an effect each time it is sent: a language model bills
/// twice. So a POST is sent again only if it was certainly not carried out.
///
/// A connector says so of its request (`Connector::resend`), by the request's method if it knows that. A
/// [policy](super::ReconnectPolicy::with_resend) takes precedence.
///
/// A request was certainly not carried out if the connection could not be made (`Connector::was_sent`), or if the server turned
/// the request away with a response whose verdict is [`Retry`](super::Verdict::Retry): 429 and 503, unless you decide otherwise.
///
/// [is not idempotent]: https://www.rfc-editor.org/rfc/rfc9110#section-9.2.2
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Resend {
    /// Always.
    Always,
    /// Only if it was certainly not carried out.
    UnlessSent,
    /// Until there has been progress: an event, unless you decide otherwise (`Decide::is_progress`). An event that
    /// [could not be decoded](super::Reconnect::handle_undecodable) counts.
    ///
    /// A request that was cut off before its first event may have been carried out, and billed, all the same.
    UntilProgress,
    /// Only if the next request can say where to continue: there is a last event ID, or a cursor (`Decide::cursor`,
    /// `EventSource::with_cursor`). A request that was certainly not carried out is sent again without one.
    ///
    /// It is the right choice where a POST starts an answer and a GET continues it from a cursor.
    WithCursor,
    /// Never: there is one attempt.
    Never,
}

impl Resend {
    /// Whether a request with this method may be sent again: [`Always`](Resend::Always) if the method
    /// [is idempotent](https://www.rfc-editor.org/rfc/rfc9110#section-9.2.2), [`UnlessSent`](Resend::UnlessSent) if it is not
    /// or is unknown. Method names are case-sensitive.
    ///
    /// ```
    /// use eventwire::client::Resend;
    ///
    /// assert_eq!(Resend::for_method("GET"), Resend::Always);
    /// assert_eq!(Resend::for_method("POST"), Resend::UnlessSent);
    /// ```
    #[must_use]
    pub fn for_method(method: &str) -> Resend {
        match method {
            "GET" | "HEAD" | "OPTIONS" | "TRACE" | "PUT" | "DELETE" => Resend::Always,
            _ => Resend::UnlessSent,
        }
    }
}
