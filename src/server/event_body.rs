//! The body of a response that is an event stream.

use super::KeepAlive;
use crate::{event::IntoBlock, timer::Timer};
use bytes::Bytes;
use core::{
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};
use futures_core::Stream;
use http::{HeaderMap, HeaderName, HeaderValue, Response, header};
use http_body::{Body, Frame};
use pin_project_lite::pin_project;

pin_project! {
    /// The body of a response that is an event stream: an [`http_body::Body`] over a stream of events.
    ///
    /// The stream gives [`Event`](crate::Event)s, or whatever else [may be sent](IntoBlock), or a `Result` of it. Each becomes one data frame, in one allocation. An error of the stream is the body's, and its
    /// end: the server closes the connection in the middle of the response, by which the client knows. Nothing is pulled from the stream that the connection has not asked for, and
    /// the stream is dropped when it ends, or with the body.
    ///
    /// ```
    /// # #[cfg(not(miri))]
    /// # fn example() {
    /// use eventwire::{Event, SseBody};
    /// use futures_util::{Stream, stream};
    ///
    /// // A handler of axum; hyper takes the same response.
    /// async fn ticks() -> http::Response<SseBody<impl Stream<Item = Event>>> {
    ///     let events = stream::iter((0..3).map(|n| Event::new(n.to_string())));
    ///     SseBody::new(events).into_response()
    /// }
    ///
    /// let app: axum::Router = axum::Router::new().route("/ticks", axum::routing::get(ticks));
    /// # }
    /// ```
    ///
    /// A handler that may answer with something else as well gives the body a common type:
    ///
    /// ```
    /// # #[cfg(not(miri))]
    /// # fn example(wants_events: bool) -> axum::response::Response {
    /// # use eventwire::{Event, SseBody};
    /// # use futures_util::stream;
    /// use axum::{body::Body, response::IntoResponse};
    ///
    /// # let events = stream::iter([Event::new("1")]);
    /// if wants_events { SseBody::new(events).into_response().map(Body::new) } else { "1".into_response() }
    /// # }
    /// ```
    ///
    /// Servers that have a body of their own take its chunks, and [the headers](response_headers):
    /// `warp::reply::stream(BodyChunks::new(body))`, which wants a stream that is `Sync`, or actix-web's
    /// `HttpResponseBuilder::streaming` with the same.
    ///
    /// With a comment where nothing else is sent for fifteen seconds, by the clock of the runtime that it runs on:
    ///
    /// ```
    /// # #[cfg(not(miri))]
    /// # fn example() {
    /// # use eventwire::{Event, SseBody};
    /// # use futures_util::stream;
    /// use axum::response::IntoResponse;
    /// use std::time::Duration;
    ///
    /// async fn ticks() -> impl IntoResponse {
    ///     let events = stream::iter((0..3).map(|n| Event::new(n.to_string())));
    ///     SseBody::new(events).with_keep_alive(Duration::from_secs(15), tokio::time::sleep).into_response()
    /// }
    /// # let app: axum::Router = axum::Router::new().route("/ticks", axum::routing::get(ticks));
    /// # }
    /// ```
    ///
    /// Or, by [`KeepAlive`], with whatever one would rather send:
    ///
    /// ```
    /// # use eventwire::{Event, SseBody};
    /// # use futures_util::stream;
    /// # use std::time::Duration;
    /// use eventwire::KeepAlive;
    ///
    /// # let events = stream::iter([Event::new("1")]);
    /// let ping = Event::new("{}").with_event_type("ping")?;
    /// let pinged = KeepAlive::new(events, Duration::from_secs(15), tokio::time::sleep).with_block(ping);
    /// let body = SseBody::new(pinged);
    /// # Ok::<(), eventwire::InvalidField>(())
    /// ```
    #[derive(Debug)]
    #[must_use = "a body does nothing unless it is polled"]
    pub struct SseBody<S> {
        // `None` when it has ended.
        #[pin]
        blocks: Option<S>,
    }
}

impl<S> SseBody<S> {
    /// A body of these events, comments and reconnection times.
    pub fn new(blocks: S) -> SseBody<S> {
        SseBody { blocks: Some(blocks) }
    }

    /// Has a comment sent after every `interval` in which nothing else was; see [`KeepAlive`], which can be told to send
    /// something else.
    ///
    /// `timer` is the clock of the runtime: `tokio::time::sleep`, or with feature `tokio` `TokioTimer`.
    pub fn with_keep_alive<T: Timer>(self, interval: Duration, timer: T) -> SseBody<KeepAlive<S, T>> {
        SseBody { blocks: self.blocks.map(|blocks| KeepAlive::new(blocks, interval, timer)) }
    }

    /// A response with this body, status 200, and [the headers](response_headers) that it needs.
    ///
    /// ```
    /// # use eventwire::{Event, SseBody};
    /// # use futures_util::stream;
    /// let response = SseBody::new(stream::iter([Event::new("1")])).into_response();
    /// assert_eq!(response.status(), 200);
    /// assert_eq!(response.headers()["content-type"], "text/event-stream");
    /// ```
    #[must_use]
    pub fn into_response(self) -> Response<SseBody<S>> {
        let mut response = Response::new(self);
        *response.headers_mut() = response_headers();
        response
    }
}

/// The headers of a response that is an event stream.
///
/// * `content-type: text/event-stream`, without which no client takes it for one;
/// * `cache-control: no-cache`, as the standard advises, so that no cache keeps it;
/// * `x-accel-buffering: no`, which has nginx, and proxies that follow it, pass events on as they come.
///
/// ```
/// let headers = eventwire::response_headers();
/// assert_eq!(headers["content-type"], "text/event-stream");
/// assert_eq!(headers["cache-control"], "no-cache");
/// assert_eq!(headers["x-accel-buffering"], "no");
/// ```
#[must_use]
pub fn response_headers() -> HeaderMap {
    HeaderMap::from_iter([
        (header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream")),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
        (HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no")),
    ])
}

impl<S> Body for SseBody<S>
where
    S: Stream<Item: IntoBlock>,
{
    type Data = Bytes;
    type Error = <S::Item as IntoBlock>::Error;

    fn poll_frame(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let mut blocks = self.project().blocks;
        let Some(open) = blocks.as_mut().as_pin_mut() else { return Poll::Ready(None) };
        let block = ready!(open.poll_next(context)).map(IntoBlock::into_block);
        if !matches!(block, Some(Ok(_))) {
            blocks.set(None);
        }
        Poll::Ready(block.map(|block| block.map(|block| Frame::data(block.to_bytes()))))
    }

    fn is_end_stream(&self) -> bool {
        self.blocks.is_none()
    }
}
