//! A request for each attempt.

use crate::{PlatformTimer, connecting::Connecting, last_request::LastRequest, platform};
use eventwire::client::{Attempt, Connector, EventSource, Resend};
use http::Response;
use reqwest::RequestBuilder;
use std::fmt;

/// The events of the servers that answer the requests that this function makes: one for each attempt, with a fresh token, or to
/// another URL.
///
/// An error of the function counts as a connection that could not be made: the request was not sent, and another attempt follows, up to
/// the [limit](eventwire::client::ReconnectPolicy::with_max_attempts) if there is one. Which requests are sent again depends on
/// the method of the last one, and [on what became of it](crate#what-is-sent-again). Everything else is as with
/// [`.eventsource()`](crate::RequestBuilderExt::eventsource).
///
/// ```no_run
/// # async fn example() {
/// # async fn token() -> Result<String, reqwest::Error> { Ok(String::new()) }
/// let client = reqwest::Client::new();
/// let mut source = eventwire_reqwest::from_fn(|attempt| {
///     let host = ["one", "two"][attempt.number() as usize % 2];
///     let request = client.get(format!("https://{host}.example.com/events"));
///     async { Ok::<_, reqwest::Error>(request.bearer_auth(token().await?)) }
/// });
/// # futures_util::StreamExt::next(&mut source).await;
/// # }
/// ```
pub fn from_fn<F, R, E>(request: F) -> EventSource<RequestFnConnector<F>, PlatformTimer>
where
    F: FnMut(Attempt) -> R,
    R: Future<Output = Result<RequestBuilder, E>>,
    E: From<reqwest::Error>,
{
    EventSource::with_connector(RequestFnConnector { request, last_request: LastRequest::new() }, PlatformTimer)
}

/// Sends a new request for each attempt, made by a function; [`from_fn`] returns an event source with it.
pub struct RequestFnConnector<F> {
    request: F,
    last_request: LastRequest,
}

impl<F, R, E> Connector for RequestFnConnector<F>
where
    F: FnMut(Attempt) -> R,
    R: Future<Output = Result<RequestBuilder, E>>,
    E: From<reqwest::Error>,
{
    type Chunk = bytes::Bytes;
    type BodyError = reqwest::Error;
    type Body = platform::Chunks;
    type Error = E;
    type Connect = Connecting<R>;

    fn connect(&mut self, attempt: Attempt) -> Connecting<R> {
        let request = (self.request)(attempt.clone());
        Connecting::new(request, attempt, self.last_request.of_next_attempt())
    }

    fn resend(&self) -> Resend {
        self.last_request.resend()
    }

    /// An error of the function comes before the request.
    fn was_sent(&self, _: &E) -> bool {
        self.last_request.was_sent()
    }

    fn was_carried_out(&self, _: &Response<()>) -> bool {
        self.last_request.was_redirected()
    }

    /// A request that reqwest cannot even start to send, for example because its scheme is not HTTP's. An error of the function is not.
    fn is_permanent(&self, _: &E) -> bool {
        self.last_request.is_impossible()
    }

    fn jitter_seed(&self) -> Option<u64> {
        platform::jitter_seed()
    }
}

/// What became of the requests of one is nothing to the other.
impl<F: Clone> Clone for RequestFnConnector<F> {
    fn clone(&self) -> RequestFnConnector<F> {
        RequestFnConnector { request: self.request.clone(), last_request: LastRequest::new() }
    }
}

impl<F> fmt::Debug for RequestFnConnector<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RequestFnConnector").finish_non_exhaustive()
    }
}
