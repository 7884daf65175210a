//! A new request for each attempt.

use super::{
    platform,
    request_with_redirects::RequestWithRedirects,
    reqwest,
    send::{Send, send},
};
use crate::platform_timer::PlatformTimer;
use eventwire_client::{Attempt, EventSource, adapters::RequestFn, request_fn};

/// Returns an event source that calls a function for the request of each attempt, to add a fresh token or to use
/// another URL.
///
/// An error of the function counts as a connection that could not be made: the request was not sent, and another
/// attempt follows, up to the [limit](eventwire_client::ReconnectPolicy::with_max_attempts) if there is one.
/// Whether a request is sent again depends on its method and [on what happened to it](crate#what-is-sent-again).
/// Everything else is as with [`.eventsource()`](super::RequestBuilderExt::eventsource).
///
/// If `E` is `Box<dyn Error + Send + Sync>`, `?` does not convert the errors of the source. Convert them by
/// `stopped.map_transport(BoxError::from)`, and those of `events()` by `error.map_transport(|stopped|
/// stopped.map_transport(BoxError::from))`, with [`BoxError`](crate::BoxError).
///
/// ```no_run
#[doc = import!("from_fn")]
///
/// # async fn token() -> Result<String, reqwest::Error> { Ok(String::new()) }
/// # async fn example() {
/// let client = reqwest::Client::new();
/// let mut source = from_fn(|attempt| {
///     let host = ["one", "two"][attempt.number() as usize % 2];
///     let request = client.get(format!("https://{host}.example.com/events"));
///     async { Ok::<_, reqwest::Error>(request.bearer_auth(token().await?)) }
/// });
/// # source.next().await;
/// # }
/// ```
///
/// # POST first, GET after it
///
/// Some APIs start an answer with a POST and continue it with a GET, from a [cursor](eventwire_client::Hooks::cursor)
/// in the events. By default, the source does not reconnect after a POST that may have been carried out, so set
/// [`Resend::WithCursor`](eventwire_client::Resend::WithCursor). (If the events have IDs, as in MCP, no cursor is
/// needed: there is [a recipe][mcp].)
///
/// ```no_run
#[doc = import!("from_fn")]
/// use eventwire_reqwest::{Event, Hooks, ReconnectPolicy, Resend};
/// use std::future::ready;
/// # async fn example(client: reqwest::Client, question: String) -> Result<(), Box<dyn std::error::Error>> {
///
/// struct Cursors;
///
/// impl<E> Hooks<E> for Cursors {
///     fn cursor(&mut self, event: &Event) -> Option<String> {
///         Some(event.data().split_once("\"cursor\":\"")?.1.split_once('"')?.0.to_owned())
///     }
/// }
///
/// let url = "https://example.com/answers";
/// let mut events = from_fn(|attempt| {
///     ready(Ok::<_, reqwest::Error>(match attempt.cursor() {
///         None => client.post(url).body(question.clone()),
///         Some(cursor) => client.get(format!("{url}/{cursor}")),
///     }))
/// })
/// .with_hooks(Cursors)
/// .with_policy(ReconnectPolicy::new().with_resend(Resend::WithCursor))
/// .events();
/// while let Some(event) = events.next().await {
///     println!("{}", event?.data());
/// }
/// # Ok(())
/// # }
/// ```
///
/// [mcp]: https://docs.rs/eventwire/latest/eventwire/recipes/models/#a-request-to-an-mcp-server
pub fn from_fn<F, R, Q, E>(request: F) -> EventSource<RequestFn<F, Send<Q>>, PlatformTimer>
where
    F: FnMut(Attempt) -> R,
    R: Future<Output = Result<Q, E>>,
    Q: Into<RequestWithRedirects>,
    E: From<reqwest::Error>,
{
    platform::seeded(EventSource::with_connector(request_fn(request, send as Send<Q>), PlatformTimer))
}
