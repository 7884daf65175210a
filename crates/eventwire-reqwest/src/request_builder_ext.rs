//! `.eventsource()` on a request.

use crate::{PlatformTimer, RequestConnector, RequestError};
use eventwire::{Decoder, client::EventSource};
use reqwest::RequestBuilder;

/// An [`EventSource`] that sends the same reqwest request for each attempt, as
/// [`.eventsource()`](RequestBuilderExt::eventsource) returns it.
///
/// `D` is what [your code decides](EventSource#decisions). With a type of your own, a source can be a field of a struct:
/// `RequestEventSource<MyDecisions>`.
pub type RequestEventSource<D = ()> = EventSource<RequestConnector, PlatformTimer, D>;

/// `.eventsource()` on a request of reqwest's, which reconnects. (On the body of a response, `.eventsource()` is
/// [`eventwire::Eventsource`]'s.) This trait is sealed.
pub trait RequestBuilderExt: sealed::Sealed {
    /// The events of the server that answers this request.
    ///
    /// The headers `Accept` and `Cache-Control` are added if the request has none (the client's default headers come
    /// after that), and `Last-Event-ID` if there is an ID. A `Last-Event-ID` that the request itself has is the last
    /// event ID to start with. A request that is not idempotent, such as a POST, is sent again only if it [was
    /// certainly not carried out](crate#what-is-sent-again), unless the
    /// [policy](eventwire::client::ReconnectPolicy::with_resend) says otherwise.
    ///
    /// Do not set reqwest's timeout for the whole request: it cuts off healthy streams. Use
    /// [`with_idle_timeout`](EventSource::with_idle_timeout); over HTTP/2 also set
    /// [the client's keep-alives](crate#http2).
    ///
    /// The URL that redirects led to is a `reqwest::Url` among the extensions of the
    /// [response](eventwire::client::Item::Open).
    ///
    /// In a browser, the request goes to another origin only if that origin allows the header `Last-Event-ID` and the request's other
    /// headers, which a browser's own `EventSource` need not ask for. An ID that is not ASCII cannot be sent there and stops the source.
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
            // A header's value has none of the characters that an ID cannot have.
            let _ = decoder.set_last_event_id(&id);
        }
        Ok(EventSource::with_connector(connector, PlatformTimer).with_decoder(decoder))
    }
}

mod sealed {
    pub trait Sealed {}
}
