//! The same request for each attempt.

use crate::{Body, FetchError, Request, ResponseUrl, adapters::Connecting, last_request::LastRequest};
use bytes::Bytes;
use eventwire::client::{Attempt, Connector, Resend};
use http::Response;
use std::future::{Ready, ready};

/// Sends the same request for each attempt.
///
/// [`Request::eventsource`] makes an event source with it; use it by itself for another timer. A `Last-Event-ID` of the request is sent
/// until the server sets another.
///
/// ```no_run
/// use eventwire::client::EventSource;
/// use eventwire_web::{BrowserTimer, Request, RequestConnector};
///
/// let connector = RequestConnector::new(Request::get("/events"));
/// let source = EventSource::with_connector(connector, BrowserTimer);
/// # let _ = source;
/// ```
#[derive(Clone, Debug)]
pub struct RequestConnector(Request);

impl RequestConnector {
    /// Connections made by this request.
    #[must_use]
    pub fn new(request: Request) -> RequestConnector {
        RequestConnector(request)
    }
}

impl Connector for RequestConnector {
    type Chunk = Bytes;
    type BodyError = FetchError;
    type Body = Body;
    type Error = FetchError;
    type Connect = Connecting<Ready<Result<Request, FetchError>>>;

    fn connect(&mut self, attempt: Attempt) -> Self::Connect {
        Connecting::new(ready(Ok(self.0.clone())), attempt, LastRequest::default())
    }

    fn resend(&self) -> Resend {
        Resend::for_method(self.0.method.as_str())
    }

    fn was_sent(&self, error: &FetchError) -> bool {
        error.was_sent()
    }

    /// After a redirect, the first server has answered the request.
    fn was_carried_out(&self, response: &Response<()>) -> bool {
        response.extensions().get().is_some_and(ResponseUrl::is_redirected)
    }

    /// An invalid request, one whose signal was aborted, and one whose response the browser hides.
    fn is_permanent(&self, error: &FetchError) -> bool {
        error.is_permanent()
    }

    fn jitter_seed(&self) -> Option<u64> {
        Some(js_sys::Math::random().to_bits())
    }
}
