//! reqwest in browsers, by their `fetch`.

use crate::timer::Timer;
use alloc::boxed::Box;
use bytes::Bytes;
use core::{
    fmt,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};
use futures_core::Stream;
use gloo_timers::future::TimeoutFuture;
use http::{Response, header};
use reqwest::{Client, Request, RequestBuilder};

/// The longest timeout that a browser takes, in milliseconds; with more it is over at once.
const LONGEST: u32 = i32::MAX as u32;

/// Time for an event source over reqwest: the browser's, or on sockets tokio's.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReqwestTimer;

impl Timer for ReqwestTimer {
    type Sleep = TimeoutFuture;

    /// As in every browser, the time is in whole milliseconds, and 24 days at most.
    fn sleep(&self, duration: Duration) -> TimeoutFuture {
        let milliseconds = duration.as_nanos().div_ceil(1_000_000);
        TimeoutFuture::new(u32::try_from(milliseconds).unwrap_or(LONGEST).min(LONGEST))
    }
}

/// The body of a response of reqwest's.
pub struct ReqwestChunks(Pin<Box<dyn Stream<Item = reqwest::Result<Bytes>>>>);

impl Stream for ReqwestChunks {
    type Item = reqwest::Result<Bytes>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.as_mut().poll_next(context)
    }
}

impl fmt::Debug for ReqwestChunks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReqwestChunks").finish_non_exhaustive()
    }
}

pub(super) type Sending = Pin<Box<dyn Future<Output = reqwest::Result<reqwest::Response>>>>;

/// The request, past all caches.
pub(super) fn uncached(request: RequestBuilder) -> RequestBuilder {
    request.fetch_cache_no_store()
}

pub(super) fn send(client: &Client, mut request: Request) -> Sending {
    // `fetch` does by itself what it says, and would ask another origin whether it may be said.
    request.headers_mut().remove(header::CACHE_CONTROL);
    Box::pin(client.execute(request))
}

pub(super) fn response(response: reqwest::Response) -> Response<ReqwestChunks> {
    let mut head = Response::new(());
    *head.status_mut() = response.status();
    *head.headers_mut() = response.headers().clone();
    // `fetch` has decoded the body, and leaves the header.
    head.headers_mut().remove(header::CONTENT_ENCODING);
    head.extensions_mut().insert(response.url().clone());
    head.map(|()| ReqwestChunks(Box::pin(response.bytes_stream())))
}
