//! `.eventsource()` on a request.

use crate::{PlatformTimer, RequestConnector, RequestError};
use eventwire::{Decoder, client::EventSource};
use reqwest::RequestBuilder;

/// The type of the source that [`.eventsource()`](RequestBuilderExt::eventsource) returns: an [`EventSource`] that
/// sends the same reqwest request for each attempt.
///
/// `D` is the type of your [decisions](EventSource#decisions). With a named type, a source can be a field of a
/// struct: `RequestEventSource<MyDecisions>`.
pub type RequestEventSource<D = ()> = EventSource<RequestConnector, PlatformTimer, D>;

/// Adds the method `.eventsource()` to reqwest's requests. It returns a stream of events that reconnects.
///
/// To read the body of one response, use `.eventsource()` of [`eventwire::Eventsource`]. This trait is sealed.
pub trait RequestBuilderExt: sealed::Sealed {
    /// Returns an [`EventSource`]: a stream of the events that the server sends in response to this request. It
    /// reconnects when the connection drops.
    ///
    /// The headers `Accept` and `Cache-Control` are added if the request has none, and take precedence over the
    /// client's default headers. (In a browser, the cache mode `no-store` replaces `Cache-Control`.) `Last-Event-ID`
    /// is added if there is an ID. If the request itself has a `Last-Event-ID`, the source starts with it.
    ///
    /// A request that is not idempotent, such as a POST, is sent again only if it [was not carried
    /// out](crate#what-is-sent-again), unless the [policy](eventwire::client::ReconnectPolicy::with_resend) sets
    /// otherwise.
    ///
    /// Do not set reqwest's timeout for the entire request: it ends healthy streams early. Use
    /// [`with_idle_timeout`](EventSource::with_idle_timeout), and over HTTP/2 also [the client's
    /// keep-alives](crate#http2).
    ///
    /// The extensions of the [response](eventwire::client::Item::Open) contain a `reqwest::Url`: its URL after
    /// redirects.
    ///
    /// In a browser, a server of another origin must allow the header `Last-Event-ID` and the request's other headers
    /// by [CORS](https://docs.rs/eventwire/latest/eventwire/in_a_browser/#other-origins). (The browser's own
    /// `EventSource` sends `Last-Event-ID` without permission.) An ID that is not ASCII cannot be sent in a browser,
    /// and stops the source.
    ///
    /// # Errors
    ///
    /// [`RequestError`] if the request is not valid, or if its body is a stream.
    fn eventsource(self) -> Result<RequestEventSource, RequestError>;
}

impl sealed::Sealed for RequestBuilder {}

impl RequestBuilderExt for RequestBuilder {
    fn eventsource(self) -> Result<RequestEventSource, RequestError> {
        let mut connector = RequestConnector::new(self)?;
        let last_event_id = connector.take_last_event_id();
        let mut decoder = Decoder::new();
        if let Some(id) = last_event_id {
            // The value of a header cannot contain the characters that an ID must not contain.
            let _ = decoder.set_last_event_id(&id);
        }
        Ok(EventSource::with_connector(connector, PlatformTimer).with_decoder(decoder))
    }
}

mod sealed {
    pub trait Sealed {}
}
