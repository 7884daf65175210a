//! A new request for each attempt.

use crate::{
    Body, BrowserTimer, FetchError, Request, adapters::Connecting, early_attempt::EarlyAttempt,
    last_request::LastRequest,
};
use bytes::Bytes;
use eventwire_client::{Attempt, Connector, EventSource, Resend};
use std::fmt;

/// Returns an event source that calls a function for the request of each attempt, to add a fresh token or to use
/// another URL.
///
/// An error of the function counts as a connection that could not be made: the request was not sent, and another
/// attempt follows, up to the [limit](eventwire_client::ReconnectPolicy::with_max_attempts) if there is one.
/// Whether a request is sent again depends on its method and [on what happened to it](crate#what-is-sent-again).
/// Everything else is as with [`Request::eventsource`].
///
/// ```no_run
/// # async fn example() {
/// # async fn token() -> Result<String, eventwire_web::FetchError> { Ok(String::new()) }
/// use eventwire_web::{FetchError, Request};
///
/// let mut source = eventwire_web::from_fn(|_| async {
///     let token = token().await?;
///     Ok::<_, FetchError>(Request::get("/events").with_header("Authorization", &format!("Bearer {token}")))
/// });
/// # futures_util::StreamExt::next(&mut source).await;
/// # }
/// ```
///
/// # POST first, GET after it
///
/// Some APIs start an answer with a POST and continue it with a GET, from a [cursor](EventSource::with_cursor) in
/// the events. By default, the source does not reconnect after a POST that may have been carried out, so set
/// [`Resend::WithCursor`] in the [policy](eventwire_client::ReconnectPolicy::with_resend):
///
/// ```no_run
/// use eventwire_client::{ReconnectPolicy, Resend};
/// use eventwire_web::{FetchError, Request};
/// use std::future::ready;
///
/// let source = eventwire_web::from_fn(|attempt| {
///     ready(Ok::<_, FetchError>(match attempt.cursor() {
///         None => Request::post("/answers").with_body("question"),
///         Some(cursor) => Request::get(format!("/answers/{cursor}")),
///     }))
/// })
/// .with_cursor(|event| Some(event.data().split_once("\"cursor\":\"")?.1.split_once('"')?.0.to_owned()))
/// .with_policy(ReconnectPolicy::new().with_resend(Resend::WithCursor));
/// # let _ = source;
/// ```
pub fn from_fn<F, R, E>(request: F) -> EventSource<RequestFnConnector<F>, BrowserTimer>
where
    F: FnMut(Attempt) -> R,
    R: Future<Output = Result<Request, E>>,
    E: From<FetchError>,
{
    let mut source = EventSource::with_connector(RequestFnConnector::new(request), BrowserTimer);
    let handle = source.handle();
    let connector = source.connector_mut();
    connector.early_attempt = EarlyAttempt::new(handle, connector.last_request.clone());
    source
}

/// A connector that calls a function for the request of each attempt; [`from_fn`] returns an event source with it.
pub struct RequestFnConnector<F> {
    request: F,
    last_request: LastRequest,
    early_attempt: Option<EarlyAttempt>,
}

impl<F> RequestFnConnector<F> {
    fn new(request: F) -> RequestFnConnector<F> {
        RequestFnConnector { request, last_request: LastRequest::default(), early_attempt: None }
    }
}

impl<F, R, E> Connector for RequestFnConnector<F>
where
    F: FnMut(Attempt) -> R,
    R: Future<Output = Result<Request, E>>,
    E: From<FetchError>,
{
    type Chunk = Bytes;
    type BodyError = FetchError;
    type Body = Body;
    type Error = E;
    type Connect = Connecting<R>;

    fn connect(&mut self, attempt: Attempt) -> Connecting<R> {
        let request = (self.request)(attempt.clone());
        Connecting::new(request, attempt, self.last_request.of_next_attempt())
    }

    fn resend(&self) -> Resend {
        self.last_request.resend()
    }

    /// If the function fails, there is no request yet.
    fn was_sent(&self, _: &E) -> bool {
        self.last_request.was_sent()
    }

    /// After a redirect, the first server has carried out the request.
    fn was_carried_out(&self) -> bool {
        self.last_request.was_redirected()
    }

    /// The request is not valid, its signal was aborted, or the browser hides its response. An error of the function
    /// is not permanent.
    fn is_permanent(&self, _: &E) -> bool {
        self.last_request.is_impossible()
    }

    fn jitter_seed(&self) -> Option<u64> {
        Some(js_sys::Math::random().to_bits())
    }
}

/// The clone shares no request with the original, and belongs to no event source.
impl<F: Clone> Clone for RequestFnConnector<F> {
    fn clone(&self) -> RequestFnConnector<F> {
        RequestFnConnector::new(self.request.clone())
    }
}

impl<F> fmt::Debug for RequestFnConnector<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RequestFnConnector").finish_non_exhaustive()
    }
}
