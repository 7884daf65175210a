//! The same request for each attempt.

use super::{
    platform::{self, Redirects},
    request_error::RequestError,
    request_with_redirects::RequestWithRedirects,
    reqwest::{self, Client, Request, RequestBuilder},
    send::send,
};
use bytes::Bytes;
use eventwire_client::{Attempt, Connector};

/// reqwest has no constant for this header.
const LAST_EVENT_ID: &str = "last-event-id";

/// A connector that sends the same request for each attempt.
///
/// [`.eventsource()`](super::RequestBuilderExt::eventsource) returns an event source with it. Use it directly for
/// another timer; in a browser, also [set a seed](eventwire_client::ReconnectPolicy::with_jitter_seed).
///
/// ```
#[doc = import!("{RequestConnector, RequestError}")]
/// use eventwire_client::EventSource;
///
/// let request = reqwest::Client::new().get("https://example.com/events");
/// let source =
///     EventSource::with_connector(RequestConnector::new(request)?, tokio::time::sleep);
/// # let _ = source;
/// # Ok::<(), RequestError>(())
/// ```
#[derive(Debug)]
pub struct RequestConnector {
    client: Client,
    request: Request,
    redirects: Redirects,
}

impl RequestConnector {
    /// Returns a connector for this request. If the request has a `Last-Event-ID`, it is sent until the server sets
    /// another.
    ///
    /// # Errors
    ///
    /// [`RequestError`] if the request is not valid, or if its body is a stream.
    pub fn new(request: impl Into<RequestWithRedirects>) -> Result<RequestConnector, RequestError> {
        let (request, redirects) = request.into().into_parts();
        let (client, request) = request.build_split();
        let request = request.map_err(RequestError::Build)?;
        let Some(request) = request.try_clone() else { return Err(RequestError::StreamBody) };
        Ok(RequestConnector { client, request, redirects })
    }

    /// Removes the header `Last-Event-ID` from the request and returns it. The event source sends the ID instead,
    /// because it knows when the server clears it.
    pub(super) fn take_last_event_id(&mut self) -> Option<String> {
        let id = str::from_utf8(self.request.headers().get(LAST_EVENT_ID)?.as_bytes()).ok()?.to_owned();
        self.request.headers_mut().remove(LAST_EVENT_ID);
        Some(id)
    }
}

impl Connector for RequestConnector {
    type Chunk = Bytes;
    type BodyError = reqwest::Error;
    type Body = platform::Chunks;
    type Error = reqwest::Error;
    type Connect = platform::Sending;

    fn connect(&mut self, attempt: Attempt) -> Self::Connect {
        let request = match self.request.try_clone() {
            Some(request) => RequestBuilder::from_parts(self.client.clone(), request),
            // Not reached, because `new` has cloned the request once. A request without a URL is an error.
            None => self.client.get(""),
        };
        send(RequestWithRedirects::from_parts(request, self.redirects.clone()), attempt)
    }
}
