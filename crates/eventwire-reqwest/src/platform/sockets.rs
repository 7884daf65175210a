//! reqwest on sockets, with tokio.

use crate::RedirectError;
use bytes::Bytes;
use eventwire::{BodyChunks, Timer, TokioTimer};
use futures_core::Stream;
use http::{Response, Uri, header};
use http_body::{Body, Frame};
use pin_project_lite::pin_project;
use reqwest::{Client, Request, RequestBuilder, Url};
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

pub(crate) type Sending = Pin<Box<dyn Future<Output = reqwest::Result<reqwest::Response>> + Send>>;

/// Returns the request unchanged, because reqwest has no cache here.
pub(crate) fn uncached(request: RequestBuilder) -> RequestBuilder {
    request
}

/// The standard library has a source of randomness here.
pub(crate) fn jitter_seed() -> Option<u64> {
    None
}

pub(crate) fn send(client: &Client, request: Request) -> Sending {
    Box::pin(client.execute(request))
}

/// Returns the outcome of a request to this URL, or an error if it is a redirect that cannot be followed.
pub(crate) fn check_redirect(
    outcome: reqwest::Result<reqwest::Response>,
    url: &Url,
) -> reqwest::Result<reqwest::Response> {
    let (from, location) = match &outcome {
        Ok(response) => (response.url(), dead_end(response)),
        // The error of a request that cannot be started contains the request's URL. That of a redirect contains the
        // next URL.
        Err(error) if error.is_builder() => {
            (url, error.url().filter(|next| *next != url).map(|next| next.as_str().to_owned()))
        }
        Err(_) => return outcome,
    };
    match location.and_then(|location| error_of(RedirectError::new(location))) {
        Some(error) => Err(error.with_url(from.clone())),
        None => outcome,
    }
}

/// Returns the location that this response redirects to, if reqwest cannot resolve it. reqwest then returns the
/// response as if it were not a redirect.
///
/// If the location can be resolved, the client was told not to follow the redirect.
fn dead_end(response: &reqwest::Response) -> Option<String> {
    let (301..=303 | 307 | 308) = response.status().as_u16() else { return None };
    let location = response.headers().get(header::LOCATION)?.as_bytes();
    let resolved = str::from_utf8(location).ok().and_then(|location| response.url().join(location).ok());
    let can_be_requested = resolved.is_some_and(|url| Uri::try_from(url.as_str()).is_ok());
    (!can_be_requested).then(|| String::from_utf8_lossy(location).into_owned())
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

/// Returns whether there was no connection, so that the request was not sent.
pub(crate) fn is_connect(error: &reqwest::Error) -> bool {
    error.is_connect()
}

pub(crate) fn response(response: reqwest::Response) -> Response<Chunks> {
    // Only reqwest's response has the URL after redirects.
    let url = response.url().clone();
    let mut response = Response::from(response).map(|body| Chunks { body: BodyChunks::new(body) });
    response.extensions_mut().insert(url);
    response
}
