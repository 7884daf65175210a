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
    UntilFirstEvent,
    /// Not at all: there is one connection, and whatever its end is, it is the end.
    Never,
}
