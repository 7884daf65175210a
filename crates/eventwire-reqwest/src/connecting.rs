//! The future of a response.

use crate::{last_request::LastRequest, platform};
use eventwire::client::Attempt;
use http::Response;
use pin_project_lite::pin_project;
use reqwest::{RequestBuilder, Url};
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
        Sending { response: platform::Sending, url: Url },
    }
}

impl<R> Connecting<R> {
    pub(super) fn new(request: R, attempt: Attempt, last_request: LastRequest) -> Connecting<R> {
        Connecting { stage: Stage::Preparing { request, attempt }, last_request }
    }
}

impl<R, E> Future for Connecting<R>
where
    R: Future<Output = Result<RequestBuilder, E>>,
    E: From<reqwest::Error>,
{
    type Output = Result<Response<platform::Chunks>, E>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let Projection { mut stage, last_request } = self.project();
        loop {
            match stage.as_mut().project() {
                StageProjection::Preparing { request, attempt } => {
                    let (client, request) = platform::uncached(ready!(request.poll(context))?).build_split();
                    let mut request = request.inspect_err(|error| last_request.handle_error(error))?;
                    last_request.handle_start(request.method());
                    attempt.add_to(request.headers_mut());
                    let url = request.url().clone();
                    stage.set(Stage::Sending { response: platform::send(&client, request), url });
                }
                StageProjection::Sending { response, url } => {
                    let outcome = platform::check_redirect(ready!(response.as_mut().poll(context)), url);
                    let response = outcome.inspect_err(|error| last_request.handle_error(error))?;
                    if requested(response.url()) != requested(url) {
                        last_request.handle_redirect();
                    }
                    return Poll::Ready(Ok(platform::response(response)));
                }
            }
        }
    }
}

/// Returns the parts of the URL that the server receives. The user and the password are sent as a header, and the
/// fragment is not sent.
fn requested(url: &Url) -> (&str, Option<&str>, Option<u16>, &str, Option<&str>) {
    (url.scheme(), url.host_str(), url.port_or_known_default(), url.path(), url.query())
}

impl<R> fmt::Debug for Connecting<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connecting").finish_non_exhaustive()
    }
}
