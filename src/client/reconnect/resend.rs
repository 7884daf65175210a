//! Whether a request may be sent twice.

/// Whether a request may be sent again.
///
/// A request that [is not idempotent], such as POST, does something: sent again, it does it again, and a language model bills twice.
/// So it is not sent again once it has had an event; an event that [could not be decoded](super::Reconnect::handle_event) is one, too.
///
/// Among the extensions of a response it says so of the request that was answered; a [setting](super::ReconnectPolicy::with_resend)
/// takes precedence. The connectors for reqwest put it there by the request's method.
///
/// [is not idempotent]: https://www.rfc-editor.org/rfc/rfc9110#section-9.2.2
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Resend {
    /// Whenever the connection is made again.
    Always,
    /// Until it has had its first event; then the connection's end is the end.
    ///
    /// It may well have done its work without: an answer that is cut off within its first event has cost all the same.
    UntilFirstEvent,
    /// Not at all: there is one connection, and whatever its end is, it is the end.
    Never,
}

impl Resend {
    /// Whether a request with this method may be sent again: [`Always`](Resend::Always) if the method
    /// [is idempotent](https://www.rfc-editor.org/rfc/rfc9110#section-9.2.2), [`UntilFirstEvent`](Resend::UntilFirstEvent) if it is not
    /// or is unknown. Method names are case-sensitive.
    ///
    /// ```
    /// use eventwire::client::Resend;
    ///
    /// assert_eq!(Resend::for_method("GET"), Resend::Always);
    /// assert_eq!(Resend::for_method("POST"), Resend::UntilFirstEvent);
    /// ```
    #[must_use]
    pub fn for_method(method: &str) -> Resend {
        match method {
            "GET" | "HEAD" | "OPTIONS" | "TRACE" | "PUT" | "DELETE" => Resend::Always,
            _ => Resend::UntilFirstEvent,
        }
    }
}
