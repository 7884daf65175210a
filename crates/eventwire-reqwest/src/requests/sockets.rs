//! reqwest on sockets, with tokio.

pub(super) use super::redirects::Redirects;
use super::reqwest::{self, Client, Request, RequestBuilder, Url};
use crate::{platform_timer::PlatformTimer, redirect_error::RedirectError};
use bytes::Bytes;
use eventwire::BodyChunks;
use eventwire_client::{Attempt, Connector, EventSource};
use futures_core::Stream;
use http::Response;
use http_body::{Body, Frame};
use pin_project_lite::pin_project;
use std::{
    error::Error,
    iter::successors,
    pin::Pin,
    task::{Context, Poll, Waker},
};

pin_project! {
    /// The body of a response.
    #[derive(Debug)]
    pub struct Chunks {
        #[pin]
        body: BodyChunks<reqwest::Body>,
    }
}

impl Stream for Chunks {
    type Item = reqwest::Result<Bytes>;

    #[inline]
    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.project().body.poll_next(context)
    }
}

/// The future of a response to a request.
pub type Sending = Pin<Box<dyn Future<Output = reqwest::Result<Response<Chunks>>> + Send>>;

/// Returns the request unchanged, because reqwest has no cache here.
pub(super) fn uncached(request: RequestBuilder) -> RequestBuilder {
    request
}

/// The standard library has a source of randomness here.
pub(super) fn seeded<C: Connector>(source: EventSource<C, PlatformTimer>) -> EventSource<C, PlatformTimer> {
    source
}

/// Sends the request. Returns the response after the redirects, and its URL.
pub(super) async fn send(
    client: Client,
    request: Request,
    redirects: Redirects,
    attempt: &Attempt,
) -> reqwest::Result<(reqwest::Response, Url)> {
    redirects.send(client, request, attempt).await
}

/// Returns a reqwest error with this source. Only reqwest can construct its errors, and the error of a body can have
/// any source.
pub(super) fn to_reqwest_error(source: RedirectError) -> Option<reqwest::Error> {
    let mut body = reqwest::Body::wrap(Failing(Some(source)));
    match Pin::new(&mut body).poll_frame(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(Some(Err(error))) => Some(error),
        _ => None,
    }
}

/// A body that fails immediately.
struct Failing(Option<RedirectError>);

impl Body for Failing {
    type Data = Bytes;
    type Error = RedirectError;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, RedirectError>>> {
        Poll::Ready(self.0.take().map(Err))
    }
}

/// Returns whether no server acted on the request: there was no connection, or HTTP/2 says so.
///
/// If the body of the request failed, the sources are those of the body's error, such as another connection that could
/// not be made. reqwest wraps that error in one of its own. The request itself has been sent.
pub(super) fn is_unsent(error: &reqwest::Error) -> bool {
    !sources(error).any(<dyn Error>::is::<reqwest::Error>) && (error.is_connect() || is_refused(error))
}

fn sources(error: &reqwest::Error) -> impl Iterator<Item = &(dyn Error + 'static)> {
    successors(error.source(), |&error| error.source())
}

/// Returns whether the server refused the stream of the request ([RFC 9113, section 8.7]).
///
/// A GOAWAY does not say that. For a stream above the last one, h2 has it as the error of the stream. But it is also
/// the error of the connection, and hyper returns that for a stream it has just opened, without comparing the streams.
///
/// [RFC 9113, section 8.7]: https://www.rfc-editor.org/rfc/rfc9113#section-8.7
#[cfg(feature = "http2")]
fn is_refused(error: &reqwest::Error) -> bool {
    sources(error).find_map(|error| error.downcast_ref::<h2::Error>()).is_some_and(|error| {
        error.is_remote() && error.is_reset() && error.reason() == Some(h2::Reason::REFUSED_STREAM)
    })
}

#[cfg(not(feature = "http2"))]
fn is_refused(_: &reqwest::Error) -> bool {
    false
}

pub(super) fn response(response: reqwest::Response, url: Url) -> Response<Chunks> {
    let mut response = Response::from(response).map(|body| Chunks { body: BodyChunks::new(body) });
    response.extensions_mut().insert(url);
    response
}
