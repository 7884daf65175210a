//! A new request for each attempt.

use crate::{Body, BrowserTimer, FetchError, Request, news::News, send::send};
use bytes::Bytes;
use eventwire_client::{Attempt, Connector, EventSource, ReconnectPolicy, request_fn};
use std::rc::Rc;

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
///     Ok::<_, FetchError>(
///         Request::get("/events")
///             .with_header("Authorization", &format!("Bearer {token}")),
///     )
/// });
/// # source.next().await;
/// # }
/// ```
///
/// # POST first, GET after it
///
/// Some APIs start an answer with a POST and continue it with a GET, from a [cursor](eventwire_client::Hooks::cursor)
/// in the events. By default, the source does not reconnect after a POST that may have been carried out, so set
/// [`Resend::WithCursor`](eventwire_client::Resend::WithCursor):
///
/// ```no_run
/// use eventwire_web::{Hooks, Event, FetchError, ReconnectPolicy, Request, Resend};
/// use std::future::ready;
///
/// struct Cursors;
///
/// impl<E> Hooks<E> for Cursors {
///     fn cursor(&mut self, event: &Event) -> Option<String> {
///         Some(event.data().split_once("\"cursor\":\"")?.1.split_once('"')?.0.to_owned())
///     }
/// }
///
/// let source = eventwire_web::from_fn(|attempt| {
///     ready(Ok::<_, FetchError>(match attempt.cursor() {
///         None => Request::post("/answers").with_body("question"),
///         Some(cursor) => Request::get(format!("/answers/{cursor}")),
///     }))
/// })
/// .with_hooks(Cursors)
/// .with_policy(ReconnectPolicy::new().with_resend(Resend::WithCursor));
/// # let _ = source;
/// ```
pub fn from_fn<F, R, E>(
    mut request: F,
) -> EventSource<impl Connector<Chunk = Bytes, BodyError = FetchError, Body = Body, Error = E>, BrowserTimer>
where
    F: FnMut(Attempt) -> R,
    R: Future<Output = Result<Request, E>>,
    E: From<FetchError>,
{
    let news = News::default();
    let (listening, is_put_off) = (news.clone(), Rc::clone(&news.is_put_off));
    let request = move |attempt| {
        listening.begin_attempt();
        request(attempt)
    };
    let send = move |request, attempt| send(request, attempt, Rc::clone(&is_put_off));
    with_news(request_fn(request, send), &news)
}

/// Returns an event source with this connector and random jitter, which listens for news.
pub(crate) fn with_news<C: Connector>(connector: C, news: &News) -> EventSource<C, BrowserTimer> {
    // Here only JavaScript has a source of randomness, not the standard library.
    let policy = ReconnectPolicy::new().with_jitter_seed(js_sys::Math::random().to_bits());
    let source = EventSource::with_connector(connector, BrowserTimer).with_policy(policy);
    news.listen(source.handle());
    source
}
