//! The same request for each attempt.

use crate::{Body, FetchError, Request, ResponseUrl, adapters::Connecting, last_request::LastRequest};
use bytes::Bytes;
use eventwire::client::{Attempt, Connector, Resend};
use http::Response;
use std::future::{Ready, ready};

/// A connector that sends the same request for each attempt.
///
/// [`Request::eventsource`] returns an event source with it. Use it directly for another timer. If the request has a
/// `Last-Event-ID`, it is sent until the server sets another.
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
    /// Returns a connector for this request.
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
        self.0.resend
    }

    fn was_sent(&self, error: &FetchError) -> bool {
        error.was_sent()
    }

    /// After a redirect, the first server has carried out the request.
    fn was_carried_out(&self, response: &Response<()>) -> bool {
        response.extensions().get().is_some_and(ResponseUrl::is_redirected)
    }

    /// The request is not valid, its signal was aborted, or the browser hides its response.
    fn is_permanent(&self, error: &FetchError) -> bool {
        error.is_permanent()
    }

    fn jitter_seed(&self) -> Option<u64> {
        Some(js_sys::Math::random().to_bits())
    }
}
