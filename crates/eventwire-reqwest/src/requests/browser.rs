//! reqwest in browsers, over `fetch`.

use super::{
    reqwest::{self, Client, Request, RequestBuilder, Url},
    send::answered,
};
use crate::platform_timer::PlatformTimer;
use bytes::Bytes;
use eventwire_client::{Attempt, Connector, EventSource, ReconnectPolicy};
use futures_core::Stream;
use http::{Response, header};
use std::{
    fmt,
    pin::Pin,
    task::{Context, Poll},
};

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

/// The future of a response to a request.
pub type Sending = Pin<Box<dyn Future<Output = reqwest::Result<Response<Chunks>>>>>;

/// The browser follows redirects, by its own rules.
#[derive(Clone, Debug, Default)]
pub(super) struct Redirects;

/// Disables the browser's cache for this request.
pub(super) fn uncached(request: RequestBuilder) -> RequestBuilder {
    request.fetch_cache_no_store()
}

/// Here only JavaScript has a source of randomness, not the standard library.
pub(super) fn seeded<C: Connector>(source: EventSource<C, PlatformTimer>) -> EventSource<C, PlatformTimer> {
    source.with_policy(ReconnectPolicy::new().with_jitter_seed(js_sys::Math::random().to_bits()))
}

/// Sends the request. Returns the response and its URL.
pub(super) async fn send(
    client: Client,
    mut request: Request,
    _: Redirects,
    attempt: &Attempt,
) -> reqwest::Result<(reqwest::Response, Url)> {
    // The request already bypasses the cache, and with this header `fetch` would first ask another origin for
    // permission.
    request.headers_mut().remove(header::CACHE_CONTROL);
    let url = request.url().clone();
    let response = client.execute(request).await?;
    let url = answered(attempt, url, response.url());
    Ok((response, url))
}

/// `fetch` does not report why there is no response.
pub(super) fn is_unsent(_: &reqwest::Error) -> bool {
    false
}

pub(super) fn response(response: reqwest::Response, url: Url) -> Response<Chunks> {
    let mut head = Response::new(());
    *head.status_mut() = response.status();
    *head.headers_mut() = response.headers().clone();
    // `fetch` has decoded the body, but keeps the header.
    head.headers_mut().remove(header::CONTENT_ENCODING);
    head.extensions_mut().insert(url);
    head.map(|()| Chunks(Box::pin(response.bytes_stream())))
}
