//! Whether a request may be sent again.

/// Whether a request may be sent again after the connection is lost.
///
/// By default, [it depends on the method](crate#what-is-sent-again).
///
/// A connector reports this type by `Attempt::handle_start`, usually for the method of its request. The
/// [policy](crate::ReconnectPolicy::with_resend) takes precedence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Resend {
    /// The request is always sent again. This is the default for a GET.
    Always,
    /// The request is sent again only if it was not sent (`Attempt::handle_unsent`), or if the response has the verdict
    /// [`NotProcessed`](crate::Verdict::NotProcessed). This is the default for a POST.
    UnlessSent,
    /// The request is sent again until there has been progress: an event, unless you decide otherwise
    /// (`Hooks::is_progress`). An event that [could not be decoded](crate::Reconnect::handle_undecodable) counts.
    ///
    /// A request whose connection was lost before the first event may still have been carried out, and charged.
    UntilProgress,
    /// Another request is sent only if it can continue: there is a last event ID, or a cursor (`Hooks::cursor`).
    /// A request that was not sent, or was turned away, is sent again even without one.
    ///
    /// Use it if a POST starts an answer and a GET continues it from a cursor.
    WithCursor,
    /// The request is never sent again: there is only one attempt.
    ///
    /// The HTTP client may still send it again itself. By default reqwest does, if the server refuses its stream over
    /// HTTP/2 or closes the connection with a GOAWAY. The client of [`eventwire_reqwest::client_builder`] does not.
    ///
    /// [`eventwire_reqwest::client_builder`]: https://docs.rs/eventwire-reqwest/latest/eventwire_reqwest/fn.client_builder.html
    Never,
    /// The method does not say what the request means: it is neither idempotent nor POST, such as PATCH. This is the
    /// default for such methods.
    ///
    /// It is sent again like [`UnlessSent`](Resend::UnlessSent). But the end of its response is a failure
    /// (`Stopped::is_failure`), because it does not show that the stream is complete. If it does on your server,
    /// set `UnlessSent`.
    Unknown,
}

impl Resend {
    /// Returns whether a request with this method may be sent again: [`Always`](Resend::Always) if the [registry]
    /// lists the method as idempotent, [`UnlessSent`](Resend::UnlessSent) for POST, and [`Unknown`](Resend::Unknown)
    /// for any other. Method names are case-sensitive.
    ///
    /// ```
    /// use eventwire_client::Resend;
    ///
    /// assert_eq!(Resend::for_method("GET"), Resend::Always);
    /// assert_eq!(Resend::for_method("QUERY"), Resend::Always);
    /// assert_eq!(Resend::for_method("POST"), Resend::UnlessSent);
    /// assert_eq!(Resend::for_method("PATCH"), Resend::Unknown);
    /// ```
    ///
    /// [registry]: https://www.iana.org/assignments/http-methods/http-methods.xhtml
    #[must_use]
    pub fn for_method(method: &str) -> Resend {
        match method {
            "ACL" | "BASELINE-CONTROL" | "BIND" | "CHECKIN" | "CHECKOUT" | "COPY" | "DELETE" | "GET" | "HEAD"
            | "LABEL" | "LINK" | "MERGE" | "MKACTIVITY" | "MKCALENDAR" | "MKCOL" | "MKREDIRECTREF" | "MKWORKSPACE"
            | "MOVE" | "OPTIONS" | "ORDERPATCH" | "PRI" | "PROPFIND" | "PROPPATCH" | "PUT" | "QUERY" | "REBIND"
            | "REPORT" | "SEARCH" | "TRACE" | "UNBIND" | "UNCHECKOUT" | "UNLINK" | "UNLOCK" | "UPDATE"
            | "UPDATEREDIRECTREF" | "VERSION-CONTROL" => Resend::Always,
            "POST" => Resend::UnlessSent,
            _ => Resend::Unknown,
        }
    }
}
