//! reqwest in browsers, by their `fetch`.

use bytes::Bytes;
use eventwire::Timer;
use futures_core::Stream;
use gloo_timers::future::TimeoutFuture;
use http::{Response, header};
use reqwest::{Client, Request, RequestBuilder, Url};
use std::{
    fmt,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

/// The longest timeout that a browser takes, in milliseconds; with more it is over at once.
const LONGEST: u32 = i32::MAX as u32;

/// The clock of an event source over reqwest: the browser's, or on sockets tokio's.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlatformTimer;

impl Timer for PlatformTimer {
    type Sleep = TimeoutFuture;

    /// As in every browser, the time is in whole milliseconds, and 24 days at most.
    fn sleep(&self, duration: Duration) -> TimeoutFuture {
        let milliseconds = duration.as_nanos().div_ceil(1_000_000);
        TimeoutFuture::new(u32::try_from(milliseconds).unwrap_or(LONGEST).min(LONGEST))
    }
}

/// The body of a response.
pub struct Chunks(Pin<Box<dyn Stream<Item = reqwest::Result<Bytes>>>>);

impl Stream for Chunks {
    type Item = reqwest::Result<Bytes>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.as_mut().poll_next(context)
    }
}

impl fmt::Debug for Chunks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Chunks").finish_non_exhaustive()
    }
}

pub(crate) type Sending = Pin<Box<dyn Future<Output = reqwest::Result<reqwest::Response>>>>;

/// The request, without the browser's cache.
pub(crate) fn uncached(request: RequestBuilder) -> RequestBuilder {
    request.fetch_cache_no_store()
}

/// The standard library has no randomness here, and JavaScript does.
pub(crate) fn jitter_seed() -> Option<u64> {
    Some(js_sys::Math::random().to_bits())
}

pub(crate) fn send(client: &Client, mut request: Request) -> Sending {
    // `fetch` bypasses caches by itself, and would ask another origin whether the header is allowed.
    request.headers_mut().remove(header::CACHE_CONTROL);
    Box::pin(client.execute(request))
}

/// `fetch` follows redirects, and one that it cannot follow is an error already.
pub(crate) fn check_redirect(
    outcome: reqwest::Result<reqwest::Response>,
    _: &Url,
) -> reqwest::Result<reqwest::Response> {
    outcome
}

/// `fetch` does not tell why there is no response.
pub(crate) fn is_connect(_: &reqwest::Error) -> bool {
    false
}

pub(crate) fn response(response: reqwest::Response) -> Response<Chunks> {
    let mut head = Response::new(());
    *head.status_mut() = response.status();
    *head.headers_mut() = response.headers().clone();
    // `fetch` has decoded the body, and leaves the header.
    head.headers_mut().remove(header::CONTENT_ENCODING);
    head.extensions_mut().insert(response.url().clone());
    head.map(|()| Chunks(Box::pin(response.bytes_stream())))
}
