//! The same request for each attempt.

use crate::{Body, FetchError, Request, adapters::Connecting, early_attempt::EarlyAttempt, last_request::LastRequest};
use bytes::Bytes;
use eventwire_client::{Attempt, Connector, Handle, Resend};
use std::future::{Ready, ready};

/// A connector that sends the same request for each attempt.
///
/// [`Request::eventsource`] returns an event source with it. Use it directly for another timer. Such a source does not
/// listen [for the network](crate#when-the-network-is-back). If the request has a `Last-Event-ID`, it is sent until the
/// server sets another.
///
/// ```no_run
/// use eventwire_client::EventSource;
/// use eventwire_web::{BrowserTimer, Request, RequestConnector};
///
/// let connector = RequestConnector::new(Request::get("/events"));
/// let source = EventSource::with_connector(connector, BrowserTimer);
/// # let _ = source;
/// ```
#[derive(Debug)]
pub struct RequestConnector {
    request: Request,
    last_request: LastRequest,
    early_attempt: Option<EarlyAttempt>,
}

impl RequestConnector {
    /// Returns a connector for this request.
    #[must_use]
    pub fn new(request: Request) -> RequestConnector {
        RequestConnector { request, last_request: LastRequest::default(), early_attempt: None }
    }

    /// Ends delays through this handle of its event source when the browser has news.
    pub(crate) fn listen(&mut self, handle: Handle) {
        self.early_attempt = EarlyAttempt::new(handle, self.last_request.clone());
    }
}

impl Connector for RequestConnector {
    type Chunk = Bytes;
    type BodyError = FetchError;
    type Body = Body;
    type Error = FetchError;
    type Connect = Connecting<Ready<Result<Request, FetchError>>>;

    fn connect(&mut self, attempt: Attempt) -> Self::Connect {
        Connecting::new(ready(Ok(self.request.clone())), attempt, self.last_request.of_next_attempt())
    }

    fn resend(&self) -> Resend {
        self.request.resend
    }

    fn was_sent(&self, error: &FetchError) -> bool {
        error.was_sent()
    }

    /// After a redirect, the first server has carried out the request.
    fn was_carried_out(&self) -> bool {
        self.last_request.was_redirected()
    }

    /// The request is not valid, its signal was aborted, or the browser hides its response.
    fn is_permanent(&self, error: &FetchError) -> bool {
        error.is_permanent()
    }

    fn jitter_seed(&self) -> Option<u64> {
        Some(js_sys::Math::random().to_bits())
    }
}

/// The clone belongs to no event source.
impl Clone for RequestConnector {
    fn clone(&self) -> RequestConnector {
        RequestConnector::new(self.request.clone())
    }
}
