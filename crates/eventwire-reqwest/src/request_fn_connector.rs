//! A new request for each attempt.

use crate::{PlatformTimer, RequestWithRedirects, connecting::Connecting, last_request::LastRequest, platform};
use eventwire_client::{Attempt, Connector, EventSource, Resend};
use std::fmt;

/// Returns an event source that calls a function for the request of each attempt, to add a fresh token or to use
/// another URL.
///
/// An error of the function counts as a connection that could not be made: the request was not sent, and another
/// attempt follows, up to the [limit](eventwire_client::ReconnectPolicy::with_max_attempts) if there is one.
/// Whether a request is sent again depends on its method and [on what happened to it](crate#what-is-sent-again).
/// Everything else is as with [`.eventsource()`](crate::RequestBuilderExt::eventsource).
///
/// If `E` is `Box<dyn Error + Send + Sync>`, `?` does not convert the errors of the source. Use
/// [`Stopped::into_boxed`](eventwire_client::Stopped::into_boxed), and for the errors of `events()`
/// `error.map_transport(Stopped::into_boxed).into_boxed()` ([`map_transport`](eventwire::Error::map_transport)). To
/// print the error of a lost connection, convert it by
/// [`map_transport`](eventwire_client::ConnectionError::map_transport).
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
///
/// # POST first, GET after it
///
/// Some APIs start an answer with a POST and continue it with a GET, from a
/// [cursor](eventwire_client::EventSource::with_cursor) in the events. By default, the source does not reconnect
/// after a POST that may have been carried out, so set [`Resend::WithCursor`]:
///
/// ```no_run
/// # async fn example(client: reqwest::Client, question: String) -> Result<(), Box<dyn std::error::Error>> {
/// use eventwire_client::{ReconnectPolicy, Resend};
/// use futures_util::TryStreamExt;
/// use std::future::ready;
///
/// let url = "https://example.com/answers";
/// let mut events = eventwire_reqwest::from_fn(|attempt| {
///     ready(Ok::<_, reqwest::Error>(match attempt.cursor() {
///         None => client.post(url).body(question.clone()),
///         Some(cursor) => client.get(format!("{url}/{cursor}")),
///     }))
/// })
/// .with_cursor(|event| Some(event.data().split_once("\"cursor\":\"")?.1.split_once('"')?.0.to_owned()))
/// .with_policy(ReconnectPolicy::new().with_resend(Resend::WithCursor))
/// .events();
/// while let Some(event) = events.try_next().await? {
///     println!("{}", event.data());
/// }
/// # Ok(())
/// # }
/// ```
pub fn from_fn<F, R, Q, E>(request: F) -> EventSource<RequestFnConnector<F>, PlatformTimer>
where
    F: FnMut(Attempt) -> R,
    R: Future<Output = Result<Q, E>>,
    Q: Into<RequestWithRedirects>,
    E: From<reqwest::Error>,
{
    EventSource::with_connector(RequestFnConnector { request, last_request: LastRequest::new() }, PlatformTimer)
}

/// A connector that calls a function for the request of each attempt; [`from_fn`] returns an event source with it.
pub struct RequestFnConnector<F> {
    request: F,
    last_request: LastRequest,
}

impl<F, R, Q, E> Connector for RequestFnConnector<F>
where
    F: FnMut(Attempt) -> R,
    R: Future<Output = Result<Q, E>>,
    Q: Into<RequestWithRedirects>,
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

    /// If the function fails, there is no request yet.
    fn was_sent(&self, _: &E) -> bool {
        self.last_request.was_sent()
    }

    fn was_carried_out(&self) -> bool {
        self.last_request.was_carried_out()
    }

    /// reqwest could not start to send the request, for example because its scheme is not HTTP's, or its redirect must
    /// not be followed. An error of the function is not permanent.
    fn is_permanent(&self, _: &E) -> bool {
        self.last_request.is_permanent()
    }

    fn jitter_seed(&self) -> Option<u64> {
        platform::jitter_seed()
    }
}

/// The clone shares no request with the original. If it replaces the original, the last request is the original's.
impl<F: Clone> Clone for RequestFnConnector<F> {
    fn clone(&self) -> RequestFnConnector<F> {
        RequestFnConnector { request: self.request.clone(), last_request: self.last_request.copy() }
    }
}

impl<F> fmt::Debug for RequestFnConnector<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RequestFnConnector").finish_non_exhaustive()
    }
}
