//! reqwest on sockets, with tokio.

mod redirects;

pub(crate) use self::redirects::Redirects;
use crate::{RedirectError, last_request::LastRequest};
use bytes::Bytes;
use eventwire::{BodyChunks, Timer, TokioTimer};
use futures_core::Stream;
use http::{Response, Uri, header};
use http_body::{Body, Frame};
use pin_project_lite::pin_project;
use reqwest::{Client, Request, RequestBuilder, Url};
#[cfg(feature = "http2")]
use std::error::Error;
use std::{
    pin::Pin,
    task::{Context, Poll, Waker},
    time::Duration,
};

/// The timer of event sources over reqwest: tokio's timer, and the browser's in browsers.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlatformTimer;

impl Timer for PlatformTimer {
    type Sleep = <TokioTimer as Timer>::Sleep;

    fn sleep(&self, duration: Duration) -> Self::Sleep {
        TokioTimer.sleep(duration)
    }

    fn now(&self) -> Option<Duration> {
        TokioTimer.now()
    }
}

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

/// The response after the redirects, and its URL.
pub(crate) type Sending = Pin<Box<dyn Future<Output = reqwest::Result<(reqwest::Response, Url)>> + Send>>;

/// Returns the request unchanged, because reqwest has no cache here.
pub(crate) fn uncached(request: RequestBuilder) -> RequestBuilder {
    request
}

/// The standard library has a source of randomness here.
pub(crate) fn jitter_seed() -> Option<u64> {
    None
}

pub(crate) fn send(client: Client, request: Request, redirects: Redirects, last_request: LastRequest) -> Sending {
    Box::pin(redirects.send(client, request, last_request))
}

/// Returns the outcome of a request to this URL, or an error if it is a redirect that cannot be followed.
///
/// For a client that follows redirects, or that returns them without following them.
fn check_redirect(outcome: reqwest::Result<reqwest::Response>, url: &Url) -> reqwest::Result<reqwest::Response> {
    let (from, location) = match &outcome {
        Ok(response) => (response.url(), dead_end(response).map(<[u8]>::to_owned)),
        // The error of a request that cannot be started contains the request's URL. That of a redirect contains the
        // next URL.
        Err(error) if error.is_builder() => {
            (url, error.url().filter(|next| *next != url).map(|next| next.as_str().into()))
        }
        Err(_) => return outcome,
    };
    match location.and_then(|location| error_of(RedirectError::invalid(&location))) {
        Some(error) => Err(error.with_url(from.clone())),
        None => outcome,
    }
}

/// Returns the location that this response redirects to, if reqwest cannot resolve it. reqwest then returns the
/// response as if it were not a redirect.
///
/// If the location can be resolved, the client was told not to follow the redirect.
fn dead_end(response: &reqwest::Response) -> Option<&[u8]> {
    let (301..=303 | 307 | 308) = response.status().as_u16() else { return None };
    let location = response.headers().get(header::LOCATION)?.as_bytes();
    let resolved = str::from_utf8(location).ok().and_then(|location| response.url().join(location).ok());
    let can_be_requested = resolved.is_some_and(|url| Uri::try_from(url.as_str()).is_ok());
    (!can_be_requested).then_some(location)
}

/// Returns a reqwest error with this source. Only reqwest can construct its errors, and the error of a body can have
/// any source.
fn error_of(source: RedirectError) -> Option<reqwest::Error> {
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
pub(crate) fn is_unsent(error: &reqwest::Error) -> bool {
    error.is_connect() || is_unprocessed(error)
}

/// Returns whether the server refused the stream of the request ([RFC 9113, section 8.7]), or closed the connection
/// with a GOAWAY whose last stream is an earlier one.
///
/// h2 has a received GOAWAY as the error of a stream only if the stream is above the last one. A lower stream goes on,
/// and if the connection then ends without a response, its error is that of the connection.
///
/// [RFC 9113, section 8.7]: https://www.rfc-editor.org/rfc/rfc9113#section-8.7
#[cfg(feature = "http2")]
fn is_unprocessed(error: &reqwest::Error) -> bool {
    let mut source = error.source();
    while let Some(error) = source {
        if let Some(error) = error.downcast_ref::<h2::Error>() {
            let is_refused = error.is_reset() && error.reason() == Some(h2::Reason::REFUSED_STREAM);
            return error.is_remote() && (error.is_go_away() || is_refused);
        }
        source = error.source();
    }
    false
}

#[cfg(not(feature = "http2"))]
fn is_unprocessed(_: &reqwest::Error) -> bool {
    false
}

pub(crate) fn response(response: reqwest::Response, url: Url) -> Response<Chunks> {
    let mut response = Response::from(response).map(|body| Chunks { body: BodyChunks::new(body) });
    response.extensions_mut().insert(url);
    response
}
