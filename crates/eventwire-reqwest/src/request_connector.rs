//! The same request for each attempt.

use crate::{RequestError, connecting::Connecting, last_request::LastRequest, platform};
use bytes::Bytes;
use eventwire::client::{Attempt, Connector, Resend};
use http::Response;
use reqwest::{Client, Request, RequestBuilder};
use std::future::{Ready, ready};

/// The header, which reqwest has no name for.
const LAST_EVENT_ID: &str = "last-event-id";

/// Sends the same request for each attempt.
///
/// [`.eventsource()`](crate::RequestBuilderExt::eventsource) makes an event source with it; use it by itself for another timer.
///
/// ```
/// use eventwire::client::EventSource;
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
    last_request: LastRequest,
}

impl RequestConnector {
    /// Connections made by this request. Its own `Last-Event-ID`, if it has one, is sent until the server sets another.
    ///
    /// # Errors
    ///
    /// [`RequestError`] if the request is not valid, or if its body is a stream.
    pub fn new(request: RequestBuilder) -> Result<RequestConnector, RequestError> {
        let (client, request) = request.build_split();
        let request = request.map_err(RequestError::Build)?;
        match request.try_clone() {
            Some(request) => Ok(RequestConnector { client, request, last_request: LastRequest::new() }),
            None => Err(RequestError::StreamBody),
        }
    }

    /// Takes the header `Last-Event-ID` out of the request. The event source sends it, and knows when the server clears it.
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
    type Connect = Connecting<Ready<reqwest::Result<RequestBuilder>>>;

    fn connect(&mut self, attempt: Attempt) -> Self::Connect {
        let request = match self.request.try_clone() {
            Some(request) => RequestBuilder::from_parts(self.client.clone(), request),
            // `new` has cloned it once. A request without a URL is an error, which is better than half a request.
            None => self.client.get(""),
        };
        Connecting::new(ready(Ok(request)), attempt, self.last_request.of_next_attempt())
    }

    fn resend(&self) -> Resend {
        Resend::for_method(self.request.method().as_str())
    }

    fn was_sent(&self, _: &reqwest::Error) -> bool {
        self.last_request.was_sent()
    }

    fn was_carried_out(&self, _: &Response<()>) -> bool {
        self.last_request.was_redirected()
    }

    /// A request that reqwest cannot even start to send, for example because its scheme is not HTTP's.
    fn is_permanent(&self, _: &reqwest::Error) -> bool {
        self.last_request.is_impossible()
    }

    fn jitter_seed(&self) -> Option<u64> {
        platform::jitter_seed()
    }
}
