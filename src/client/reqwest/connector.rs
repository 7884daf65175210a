//! The requests of an event source.

use super::{RequestError, ReqwestChunks, ReqwestConnect};
use crate::client::{Attempt, Connector};
use alloc::string::String;
use bytes::Bytes;
use core::{
    fmt,
    future::{Ready, ready},
    mem, str,
};
use reqwest::{Client, Request, RequestBuilder};

/// Sends the same request for each attempt.
#[derive(Debug)]
pub struct ReqwestConnector {
    client: Client,
    /// The one that is sent next. Each time it is cloned first, which the body allows or does not.
    request: Request,
}

impl ReqwestConnector {
    /// Connections by this request.
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
}

impl ReqwestConnector {
    /// Takes the header `Last-Event-ID` out of the request, where the caller has put one. There is another way to say that, which
    /// knows when the server has cleared it.
    pub(super) fn take_last_event_id(&mut self) -> Option<String> {
        let id = self.request.headers_mut().remove("last-event-id")?;
        str::from_utf8(id.as_bytes()).ok().map(String::from)
    }
}

impl Connector for ReqwestConnector {
    type Chunk = Bytes;
    type BodyError = reqwest::Error;
    type Body = ReqwestChunks;
    type Error = reqwest::Error;
    type Connect = ReqwestConnect<Ready<reqwest::Result<RequestBuilder>>>;

    fn connect(&mut self, attempt: Attempt) -> Self::Connect {
        // `new` has seen that it can be cloned.
        let next = self.request.try_clone().unwrap_or_else(|| blank(&self.request));
        let request = RequestBuilder::from_parts(self.client.clone(), mem::replace(&mut self.request, next));
        ReqwestConnect::new(ready(Ok(request)), attempt)
    }
}

fn blank(request: &Request) -> Request {
    Request::new(request.method().clone(), request.url().clone())
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
