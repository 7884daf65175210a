//! The requests of an event source.

use super::{RequestError, ReqwestChunks, ReqwestConnect};
use crate::client::{Attempt, Connector};
use alloc::string::String;
use bytes::Bytes;
use core::{
    fmt,
    future::{Ready, ready},
    str,
};
use reqwest::{Client, Request, RequestBuilder};

/// Sends the same request for each attempt.
#[derive(Debug)]
pub struct ReqwestConnector {
    client: Client,
    request: Request,
}

impl ReqwestConnector {
    /// Connections by this request. A `Last-Event-ID` that it has stays with it until the server sets another;
    /// [`EventSource::new`](super::EventSource::new) makes it the source's own.
    ///
    /// # Errors
    ///
    /// As [`EventSource::new`](super::EventSource::new).
    pub fn new(request: RequestBuilder) -> Result<ReqwestConnector, RequestError> {
        let (client, request) = request.build_split();
        let request = request.map_err(RequestError::Build)?;
        match request.try_clone() {
            Some(request) => Ok(ReqwestConnector { client, request }),
            None => Err(RequestError::Body),
        }
    }

    /// Takes the header `Last-Event-ID` out of the request, where the caller has put one. There is another way to say that, which
    /// knows when the server has cleared it.
    pub(super) fn take_last_event_id(&mut self) -> Option<String> {
        let id = String::from(str::from_utf8(self.request.headers().get("last-event-id")?.as_bytes()).ok()?);
        self.request.headers_mut().remove("last-event-id");
        Some(id)
    }
}

impl Connector for ReqwestConnector {
    type Chunk = Bytes;
    type BodyError = reqwest::Error;
    type Body = ReqwestChunks;
    type Error = reqwest::Error;
    type Connect = ReqwestConnect<Ready<reqwest::Result<RequestBuilder>>>;

    fn connect(&mut self, attempt: Attempt) -> Self::Connect {
        let request = match self.request.try_clone() {
            Some(request) => RequestBuilder::from_parts(self.client.clone(), request),
            // `new` has seen that it can be cloned. Without a URL it is an error, which is better than half a request.
            None => self.client.get(""),
        };
        ReqwestConnect::new(ready(Ok(request)), attempt)
    }

    /// A request that reqwest cannot even begin to send: of a scheme that is not HTTP's, say.
    fn is_futile(&self, error: &reqwest::Error) -> bool {
        error.is_builder()
    }
}

/// Sends a request of its own for each attempt, which a function makes.
/// [`EventSource::from_fn`](super::EventSource::from_fn) makes it.
#[derive(Clone)]
pub struct ReqwestFn<F> {
    request: F,
}

impl<F> ReqwestFn<F> {
    pub(super) fn new(request: F) -> ReqwestFn<F> {
        ReqwestFn { request }
    }
}

impl<F, R, E> Connector for ReqwestFn<F>
where
    F: FnMut(Attempt) -> R,
    R: Future<Output = Result<RequestBuilder, E>>,
    E: From<reqwest::Error>,
{
    type Chunk = Bytes;
    type BodyError = reqwest::Error;
    type Body = ReqwestChunks;
    type Error = E;
    type Connect = ReqwestConnect<R>;

    fn connect(&mut self, attempt: Attempt) -> ReqwestConnect<R> {
        let request = (self.request)(attempt.clone());
        ReqwestConnect::new(request, attempt)
    }
}

impl<F> fmt::Debug for ReqwestFn<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReqwestFn").finish_non_exhaustive()
    }
}
