//! Whether a request may be sent twice.

/// Whether a request may be sent again.
///
/// A request that [is not idempotent], such as POST, does something: sent again, it does it again, and a language model bills twice.
/// So it is not sent again once it has had an event; an event that [could not be decoded](super::Reconnect::handle_event) is one, too.
///
/// Among the extensions of a response it says so of the request that was answered; a [setting](super::Reconnect::with_resend) goes
/// before that. The connectors for reqwest put it there by the request's method.
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

#[cfg(feature = "client")]
impl Resend {
    /// Whether a request by this method may be sent again: always if it is idempotent, and until its first event if not.
    ///
    /// ```
    /// use eventwire::client::Resend;
    /// use http::Method;
    ///
    /// assert_eq!(Resend::of(&Method::GET), Resend::Always);
    /// assert_eq!(Resend::of(&Method::POST), Resend::UntilFirstEvent);
    /// ```
    #[must_use]
    pub fn of(method: &http::Method) -> Resend {
        if method.is_idempotent() { Resend::Always } else { Resend::UntilFirstEvent }
    }
}
