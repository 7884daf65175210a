//! The future of a response.

use crate::{RequestWithRedirects, last_request::LastRequest, platform};
use eventwire_client::Attempt;
use http::Response;
use pin_project_lite::pin_project;
use std::{
    fmt,
    pin::Pin,
    task::{Context, Poll, ready},
};

pin_project! {
    #[project = Projection]
    /// The future of a response. The future `R` makes the request.
    #[must_use = "a future does nothing unless it is polled"]
    pub struct Connecting<R> {
        #[pin]
        stage: Stage<R>,
        last_request: LastRequest,
    }
}

pin_project! {
    #[project = StageProjection]
    enum Stage<R> {
        Preparing { #[pin] request: R, attempt: Attempt },
        Sending { response: platform::Sending },
    }
}

impl<R> Connecting<R> {
    pub(super) fn new(request: R, attempt: Attempt, last_request: LastRequest) -> Connecting<R> {
        Connecting { stage: Stage::Preparing { request, attempt }, last_request }
    }
}

impl<R, Q, E> Future for Connecting<R>
where
    R: Future<Output = Result<Q, E>>,
    Q: Into<RequestWithRedirects>,
    E: From<reqwest::Error>,
{
    type Output = Result<Response<platform::Chunks>, E>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let Projection { mut stage, last_request } = self.project();
        loop {
            match stage.as_mut().project() {
                StageProjection::Preparing { request, attempt } => {
                    let (request, redirects) = ready!(request.poll(context))?.into().into_parts();
                    let (client, request) = platform::uncached(request).build_split();
                    let mut request = request.map_err(|error| failed(error, last_request))?;
                    last_request.handle_start(request.method());
                    attempt.add_to(request.headers_mut());
                    let response = platform::send(client, request, redirects, last_request.clone());
                    stage.set(Stage::Sending { response });
                }
                StageProjection::Sending { response } => {
                    let response = ready!(response.as_mut().poll(context));
                    let (response, url) = response.map_err(|error| failed(error, last_request))?;
                    return Poll::Ready(Ok(platform::response(response, url)));
                }
            }
        }
    }
}

/// Returns the error of the request without what may be secret in its URL, because errors end up in logs.
fn failed(mut error: reqwest::Error, last_request: &LastRequest) -> reqwest::Error {
    last_request.handle_error(&error);
    if let Some(url) = error.url_mut() {
        url.set_query(None);
        url.set_fragment(None);
        // Neither can fail: a URL without a host has no user.
        let _ = url.set_username("");
        let _ = url.set_password(None);
    }
    error
}

impl<R> fmt::Debug for Connecting<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connecting").finish_non_exhaustive()
    }
}
