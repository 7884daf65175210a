//! Connections by reqwest, on sockets and in browsers.

mod connect;
mod connector;
#[cfg(not(all(target_arch = "wasm32", any(target_os = "unknown", target_os = "none"))))]
#[path = "reqwest/native.rs"]
mod target;
#[cfg(all(target_arch = "wasm32", any(target_os = "unknown", target_os = "none")))]
#[path = "reqwest/web.rs"]
mod target;

pub use self::{
    connect::ReqwestConnect,
    connector::{ReqwestConnector, ReqwestFn},
    target::{ReqwestChunks, ReqwestTimer},
};

use super::{Attempt, EventSource};
use crate::decoder::Decoder;
use reqwest::RequestBuilder;

/// An [`EventSource`] over reqwest, of a request that is the same each time.
pub type ReqwestEventSource = EventSource<ReqwestConnector, ReqwestTimer>;

/// `.eventsource()` on a request of reqwest's, which stays connected. (On the body of a response that is there already it is
/// [`Eventsource`](crate::Eventsource)'s.)
pub trait RequestBuilderExt {
    /// Events from wherever this request is answered; the same as [`EventSource::new`].
    ///
    /// # Errors
    ///
    /// As [`EventSource::new`].
    fn eventsource(self) -> Result<ReqwestEventSource, RequestError>;
}

impl RequestBuilderExt for RequestBuilder {
    fn eventsource(self) -> Result<ReqwestEventSource, RequestError> {
        EventSource::new(self)
    }
}

/// Why a request cannot be that of an event source.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RequestError {
    /// There is no request: the URL or a header is not valid.
    #[error("the request is not valid")]
    Build(#[source] reqwest::Error),
    /// The body is a stream, which cannot be sent twice. Bytes and text can.
    #[error("the request's body is a stream, which cannot be sent again")]
    Body,
}

impl ReqwestEventSource {
    /// Events from wherever this request is answered.
    ///
    /// The headers `Accept` and `Cache-Control` are added where the request has none (the client's default headers come after that), and `Last-Event-ID` where there is one; what the
    /// request itself has there is the last event ID to begin with. A request
    /// that is not idempotent, such as POST, is [not sent again after its first event](super::Resend), unless
    /// [set otherwise](super::Reconnect::with_resend). A timeout that is set for the whole request in reqwest cuts a stream off that
    /// is well; [`with_idle_timeout`](EventSource::with_idle_timeout) does not. Where redirects have led is among the
    /// [extensions](super::Head::parts) of a response, as a `reqwest::Url`.
    ///
    /// In a browser the request goes to another origin only if that allows the header `Last-Event-ID` (and all that the request has
    /// else), which a browser's own `EventSource` need not ask for; and an ID that is not ASCII cannot be sent, which ends it.
    ///
    /// # Errors
    ///
    /// [`RequestError`] if the request is not valid, or has a stream for its body.
    ///
    /// ```no_run
    /// # #[cfg(not(miri))]
    /// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// use eventwire::client::EventSource;
    /// use futures_util::TryStreamExt;
    ///
    /// let client = reqwest::Client::new();
    /// let mut events = EventSource::new(client.get("https://example.com/events"))?.events();
    /// while let Some(event) = events.try_next().await? {
    ///     println!("{}: {}", event.event_type(), event.data());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn new(request: RequestBuilder) -> Result<ReqwestEventSource, RequestError> {
        let mut connector = ReqwestConnector::new(request)?;
        let last_event_id = connector.take_last_event_id().unwrap_or_default();
        // What can be in a header can be an ID.
        let decoder = Decoder::new().with_last_event_id(&last_event_id).unwrap_or_default();
        Ok(EventSource::with_connector(connector, ReqwestTimer).with_decoder(decoder))
    }
}

impl<F, R, E> EventSource<ReqwestFn<F>, ReqwestTimer>
where
    F: FnMut(Attempt) -> R,
    R: Future<Output = Result<RequestBuilder, E>>,
    E: From<reqwest::Error>,
{
    /// Events from wherever the requests that this function makes are answered: one for each attempt, with a fresh token, or to
    /// another URL.
    ///
    /// An error of the function is one of the connection, and another attempt is made, up to the
    /// [limit](super::Reconnect::with_max_attempts) if there is one. All else is as in [`EventSource::new`].
    ///
    /// ```no_run
    /// # #[cfg(not(miri))]
    /// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// use eventwire::client::EventSource;
    /// # async fn token() -> Result<String, reqwest::Error> { Ok(String::new()) }
    ///
    /// let client = reqwest::Client::new();
    /// let mut source = EventSource::from_fn(|attempt| {
    ///     let host = ["one", "two"][attempt.number() as usize % 2];
    ///     let request = client.get(format!("https://{host}.example.com/events"));
    ///     async { Ok::<_, reqwest::Error>(request.bearer_auth(token().await?)) }
    /// });
    /// # futures_util::StreamExt::next(&mut source).await;
    /// # Ok(())
    /// # }
    /// ```
    pub fn from_fn(request: F) -> Self {
        EventSource::with_connector(ReqwestFn::new(request), ReqwestTimer)
    }
}
