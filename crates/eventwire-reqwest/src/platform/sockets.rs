//! reqwest on sockets, with tokio.

use bytes::Bytes;
use eventwire::{BodyChunks, Timer, TokioTimer};
use futures_core::Stream;
use http::Response;
use pin_project_lite::pin_project;
use reqwest::{Client, Request, RequestBuilder};
use std::{
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

/// The clock of an event source over reqwest: tokio's, or in a browser the browser's.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlatformTimer;

impl Timer for PlatformTimer {
    type Sleep = <TokioTimer as Timer>::Sleep;

    fn sleep(&self, duration: Duration) -> Self::Sleep {
        TokioTimer.sleep(duration)
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

/// The request, without caches. There are none here.
pub(crate) fn uncached(request: RequestBuilder) -> RequestBuilder {
    request
}

/// The standard library has randomness here.
pub(crate) fn jitter_seed() -> Option<u64> {
    None
}

pub(crate) fn send(client: &Client, request: Request) -> Sending {
    Box::pin(client.execute(request))
}

pub(crate) fn response(response: reqwest::Response) -> Response<Chunks> {
    // The URL that redirects led to is nowhere else.
    let url = response.url().clone();
    let mut response = Response::from(response).map(|body| Chunks { body: BodyChunks::new(body) });
    response.extensions_mut().insert(url);
    response
}
