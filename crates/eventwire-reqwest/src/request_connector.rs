//! The same request for each attempt.

use crate::{
    RequestError, RequestWithRedirects,
    connecting::Connecting,
    last_request::LastRequest,
    platform::{self, Redirects},
};
use bytes::Bytes;
use eventwire_client::{Attempt, Connector, Resend};
use reqwest::{Client, Request, RequestBuilder};
use std::future::{Ready, ready};

/// reqwest has no constant for this header.
const LAST_EVENT_ID: &str = "last-event-id";

/// A connector that sends the same request for each attempt.
///
/// [`.eventsource()`](crate::RequestBuilderExt::eventsource) returns an event source with it. Use it directly for
/// another timer.
///
/// ```
/// use eventwire_client::EventSource;
/// use eventwire_reqwest::RequestConnector;
///
/// let request = reqwest::Client::new().get("https://example.com/events");
/// let source = EventSource::with_connector(RequestConnector::new(request)?, tokio::time::sleep);
/// # let _ = source;
/// # Ok::<(), eventwire_reqwest::RequestError>(())
/// ```
#[derive(Debug)]
pub struct RequestConnector {
    client: Client,
    request: Request,
    redirects: Redirects,
    last_request: LastRequest,
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
        let last_request = LastRequest::of_another_connector(request.method());
        Ok(RequestConnector { client, request, redirects, last_request })
    }

    /// Removes the header `Last-Event-ID` from the request and returns it. The event source sends the ID instead,
    /// because it knows when the server clears it.
    pub(crate) fn take_last_event_id(&mut self) -> Option<String> {
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
    type Connect = Connecting<Ready<reqwest::Result<RequestWithRedirects>>>;

    fn connect(&mut self, attempt: Attempt) -> Self::Connect {
        let request = match self.request.try_clone() {
            Some(request) => RequestBuilder::from_parts(self.client.clone(), request),
            // Not reached, because `new` has cloned the request once. A request without a URL is an error.
            None => self.client.get(""),
        };
        let request = RequestWithRedirects::from_parts(request, self.redirects.clone());
        Connecting::new(ready(Ok(request)), attempt, self.last_request.of_next_attempt())
    }

    fn resend(&self) -> Resend {
        Resend::for_method(self.request.method().as_str())
    }

    fn was_sent(&self, _: &reqwest::Error) -> bool {
        self.last_request.was_sent()
    }

    fn was_carried_out(&self) -> bool {
        self.last_request.was_carried_out()
    }

    /// reqwest could not start to send the request, for example because its scheme is not HTTP's, or its redirect must
    /// not be followed.
    fn is_permanent(&self, _: &reqwest::Error) -> bool {
        self.last_request.is_permanent()
    }

    fn jitter_seed(&self) -> Option<u64> {
        platform::jitter_seed()
    }
}
