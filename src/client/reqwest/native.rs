//! reqwest on sockets, with tokio.

use crate::{
    feed::BodyChunks,
    timer::{Timer, TokioTimer},
};
use alloc::boxed::Box;
use core::{pin::Pin, time::Duration};
use http::Response;
use reqwest::{Client, Request, RequestBuilder};

/// Time for an event source over reqwest: tokio's, or in a browser the browser's.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReqwestTimer;

impl Timer for ReqwestTimer {
    type Sleep = <TokioTimer as Timer>::Sleep;

    fn sleep(&self, duration: Duration) -> Self::Sleep {
        TokioTimer.sleep(duration)
    }
}

/// The body of a response of reqwest's.
pub type ReqwestChunks = BodyChunks<reqwest::Body>;
pub(super) type Sending = Pin<Box<dyn Future<Output = reqwest::Result<reqwest::Response>> + Send>>;

/// The request, past all caches. There are none here.
pub(super) fn uncached(request: RequestBuilder) -> RequestBuilder {
    request
}

pub(super) fn send(client: &Client, request: Request) -> Sending {
    Box::pin(client.execute(request))
}

pub(super) fn response(response: reqwest::Response) -> Response<ReqwestChunks> {
    // Where redirects have led is said nowhere else.
    let url = response.url().clone();
    let mut response = Response::from(response).map(BodyChunks::new);
    response.extensions_mut().insert(url);
    response
}
